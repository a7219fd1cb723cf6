// Package debian reads the indexes of Debian repositories and resolves requests as apt does.
//
// The functions that come before a download take bytes and return what to fetch: [ParseSources]
// reads sources.list and .sources files, [VerifyRelease] checks a signed InRelease file,
// [Release.Indexes] lists the Packages files that it names, and [Index.Read] checks and unpacks
// one of them.
//
// A [Universe] holds the packages of all repositories and the installed ones. [ParseSettings] and
// [ParsePreferences] read the configuration that decides which version is taken.
// [Universe.Resolve] answers a [Request] with a [Plan]: every package that is installed, upgraded
// or removed, where its archive is, and why.
//
// The resolver follows apt 2.6 step by step: pkgDepCache::MarkInstall, which goes through the
// dependencies depth first, and pkgProblemResolver, which repairs conflicts by scores. It differs
// where apt chooses by chance. When several packages provide what a dependency asks for, and apt
// has no rule to prefer one of them, apt takes the package that its cache happened to number last.
// Resolve returns an [AmbiguousError] that names the packages instead. Nor does apt's sort by
// scores keep the order of equal ones: where that decides what is changed, there is a [TieError].
//
// The order in which packages are unpacked and configured is not decided here.
package debian
