// Package product reads what a release is made of: slipway.yaml, images.txt, the environment, and
// the git repository that decides the version.
//
// No other package reads those. Everything after it works with the [Product] it
// returns, in which every reference, platform and name has been checked; everything
// wrong is reported at once, with file, line and column.
package product

import (
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/sandbox"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// APIVersion is the newest format of slipway.yaml that this code reads.
const APIVersion = "slipway/v1"

// File is the usual name of a product's description.
const File = "slipway.yaml"

// Product is one product at one version.
type Product struct {
	// Dir is the absolute directory of slipway.yaml; relative paths in the file start there.
	Dir string
	// Path of slipway.yaml as the user gave it, for messages.
	Path string

	Name    string
	Version string
	// VersionSource is where Version comes from.
	VersionSource VersionSource
	// Channel is the channel of slipway.yaml that this run releases to; "" without one.
	Channel     string
	Description string
	// Created is SOURCE_DATE_EPOCH, or else the newest commit time among those Sources that
	// slipway.yaml gives one; UTC, whole seconds. Zero without one: build then
	// takes the times that git knows.
	Created time.Time
	// SourceDateEpoch means that Created comes from SOURCE_DATE_EPOCH, which then dates every
	// image; without it an image has the time of its source.
	SourceDateEpoch bool
	// Made are the absolute paths of what Slipway writes: store, output, plan and parts.
	// untracked is the same without what git has.
	Made      []string
	untracked []string
	// stamps distinguish the files that were read from later ones: see [Product.Changed].
	stamps map[string]string
	modes  *git.Modes
	// Registry is host[/prefix] of the primary destination; empty means a snapshot.
	Registry string
	// Destinations are what -registry or SLIPWAY_REGISTRY select, the primary one first; none
	// means a snapshot.
	Destinations []Destination
	// Floating is how floating tags move: [imagetag.RuleMove] or [imagetag.RuleKeep]; "" is
	// [imagetag.RuleForward].
	Floating string
	// Referrers says which of the referrers that came with images of other builders a registry need
	// not get.
	Referrers oci.ReferrerRule
	// Selected names the platforms and images that -platforms and -images selected; empty means
	// all. Platforms and Images below are only those.
	Selected []string

	// Demands are what a release to a registry asks for and slipway.yaml lacks, such as a base
	// that nothing pins: one line each, with its position. A snapshot goes on without; a build
	// with a registry stops.
	Demands []string

	Sources   []Source
	Platforms []platform.Platform // every platform of the release, in the order of [platform.Sort]
	Bases     []Base
	Programs  []Program
	Images    []Image
	Artifacts []Artifact
	Charts    []Chart
	Release   Release
	Lint      Lint
	Airgap    Airgap
	// Undecided are the facts that a person still has to decide.
	Undecided []Undecided
	// LockedReferences are the entries of bases.lock.yaml for images that Dockerfiles name and no
	// base of slipway.yaml does.
	LockedReferences []LockedBase
	// LockedImages are the entries of images.lock.yaml.
	LockedImages []LockedImage
	// Unselected is the product without what -platforms and -images select; nil if they select
	// nothing.
	Unselected *Product `json:"-"`
	// Unused are the bases, programs and sources that nothing uses; the selection does not
	// matter.
	Unused []Entry
}

// Source is where programs and templates come from: a Go module at a version, or a directory.
type Source struct {
	Name string
	Pos  yamlfile.Pos
	// Module is path@version of a Go module, whose content must have the hash Sum (h1:…) and
	// whose go.mod the hash GoModSum. Without Sum, Revision or Created it cannot be built: build
	// then says which they are.
	Module, Sum, GoModSum string
	// Directory is absolute; empty for a module.
	Directory string
	// Made is that of the product.
	Made []string `json:"-"`
	// Own means that the directory is in the repository of slipway.yaml. Build settings in its
	// files are then as trusted as slipway.yaml; those of other sources can run no command and
	// reach no other file.
	Own bool
	// Confined means that flags and variables, from wherever, may change nothing but the programs:
	// the product is a third party's.
	Confined bool
	// Sandbox is where the go command runs, with all that it runs, after modules were downloaded;
	// nil for the machine.
	Sandbox *sandbox.Box `json:"-"`
	// Repository is a clone of a module's repository, absolute, in which the commit is looked up;
	// "" for none.
	Repository string
	// Commit is known to have exactly the source, and the directory at In; "" asks git.
	Commit, In string
	Proven     bool      // Commit was compared where it was asked for
	Revision   string    // commit
	Created    time.Time // its time; for a directory filled from git where slipway.yaml lacks it
	URL        string    // of the repository, for org.opencontainers.image.source
	Licenses   string    // SPDX expression, for org.opencontainers.image.licenses
	// GoFlags apply to every program of the source, and Systems to those of an operating system.
	GoFlags
	Systems []SystemFlags
}

// BuildInfo is what templates in ldflags may name: {{.Version}} of the product, {{.Revision}} and
// {{.Created}} (RFC 3339) of the source, {{.SourceVersion}} without a leading v. [Expand] fills
// it in.
type BuildInfo struct {
	Version, Revision, Created, SourceVersion string
}

// Base is a base image, by operating system and, for Windows, by release.
type Base struct {
	Name string
	// Builtin is "static" or "static-root" (Linux bases made in process), or "scratch"; then
	// Images is empty.
	Builtin string
	// InPlaceOf are references of Dockerfiles that mean this base.
	InPlaceOf []name.Reference
	// Images has one reference per platform, sorted; each pinned by slipway.yaml or
	// bases.lock.yaml unless this is a snapshot.
	Images []BaseImage
	// Files are those of its images that are in files of this machine, sorted by platform.
	Files []BaseFile
	// Microsoft names a Windows base image family: "nanoserver", "servercore" or "hostprocess".
	// Images are then those of the release's Windows platforms.
	Microsoft string
	// AnyBuild means that one image serves every Windows build, as that of HostProcess containers
	// does: its own os.version is meaningless.
	AnyBuild bool
}

// BaseFile is the base for one platform, which another builder left in a file.
type BaseFile struct {
	Platform platform.Platform
	File     ImageFile
	Pos      yamlfile.Pos
}

// BaseImage is the base for one platform.
type BaseImage struct {
	Platform  platform.Platform
	Reference name.Reference
	// Tag is the tag of a reference with tag and digest; empty without one.
	Tag string
	// Upstream is Microsoft's name of a base of theirs, repository:tag: Dockerfiles name it by
	// that, wherever the base is pulled from. Empty for other bases.
	Upstream string
	Pos      yamlfile.Pos
	// Lock is the entry of bases.lock.yaml for the image; nil if there is none.
	Lock *LockedBase
	// Inline means that the digest is in slipway.yaml itself: the image is this one, wherever
	// its tag has moved.
	Inline bool
}

// Program is a Go main package, or a prebuilt program.
type Program struct {
	Name    string
	Pos     yamlfile.Pos
	Source  string // name of a Source; "" for a prebuilt program
	Package string // "./cmd/controller", relative to the source
	// GoFlags follow those of the source, and Systems those of all systems.
	GoFlags
	Systems []SystemFlags
	// CC are the C compilers by platform or operating system, for those with CGO.
	CC map[string]string
	// OS are the operating systems that the program is for; empty means all of the release.
	OS []string
	// Prebuilt is the prebuilt program for each platform that it is for.
	Prebuilt []Prebuilt
}

// IsFor reports whether the program is for a platform.
func (p Program) IsFor(on platform.Platform) bool {
	if p.IsPrebuilt() {
		_, ok := p.On(on)
		return ok
	}
	return len(p.OS) == 0 || slices.Contains(p.OS, on.OS)
}

// Artifact is programs as files in dist/, one set for each of its Platforms.
type Artifact struct {
	Name     string   // what an archive's file name starts with
	Programs []string // names of Programs; each is for one of the systems at least
	// Platforms are those that it is for, sorted, Windows ones without a release: Windows releases
	// share their programs. Some may not be platforms of the product.
	Platforms []platform.Platform
	// Binary is each program as a file of its own, Archive all of them in one.
	Binary, Archive bool
	// templates of file names without an ending; "" is the usual name
	ArchiveName, BinaryName string
	Formats                 map[string]string // of the archive by operating system: "tar.gz" or "zip"
	Directory               string            // of the programs in the archive, slash-separated; "" is its root
	// by operating system, the directory whose files are added to the archive: absolute, or
	// relative to the Go module Source
	Files  map[string]string
	Source string
}

// Lint configures the check of release.yaml.
type Lint struct {
	Allow []Allow
}

// Allow is a finding that is known and meant.
type Allow struct {
	Rule string // as docs/rules.md has it
	// Object is kind and name, as findings have them: "Deployment kpack/kpack-controller"; "" is
	// every object. Of a rule about images it is an image.
	Object string
	// Path is that of the field, or of one around it: "spec.template.spec.volumes"; "" is every
	// field. Of an image it is an entry of its index.
	Path   string
	Reason string // why
	Pos    yamlfile.Pos
}

// Airgap lists the bundles and what they include besides the product's images.
type Airgap struct {
	// Images are those of images.txt, and after [github.com/slipway-dev/slipway/thirdparty.Add]
	// those that manifests name, too.
	Images []ThirdParty
	// Removed are the lines of images.txt that remove what manifests name.
	Removed []Removal
	// ListFile is the absolute path of images.txt; "" if there is none.
	ListFile string
	// FirstImage is the image that comes first in bundles: the Name of one of the product's, or
	// the Text of one of Images; "" for none.
	FirstImage string
	// Gzip means that each bundle has the same archive as .tar.gz next to it.
	Gzip   bool
	Groups []Group
	// Members are the groups of the product's own images, by name, once manifests were read.
	Members map[string][]string
	Bundles []Bundle
}

// Source returns the source of that name; the parser has checked that it exists.
func (p *Product) Source(name string) Source {
	return find(p.Sources, func(s Source) bool { return s.Name == name })
}

// Program returns the program of that name.
func (p *Product) Program(name string) Program {
	return find(p.Programs, func(s Program) bool { return s.Name == name })
}

// Base returns the base of that name and whether there is one.
func (p *Product) Base(name string) (Base, bool) {
	b := find(p.Bases, func(b Base) bool { return b.Name == name })
	return b, b.Name != ""
}

// Snapshot reports whether no registry was named.
func (p *Product) Snapshot() bool { return p.Registry == "" }

func find[T any](list []T, is func(T) bool) T {
	n := slices.IndexFunc(list, is)
	if n < 0 {
		return *new(T)
	}
	return list[n]
}
