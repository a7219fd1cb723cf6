package scaffold

import (
	"cmp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/scaffold/makefile"
)

var (
	commitName  = lazyregexp.New(`(?i)commit|revision|sha|vcs|gitrev|\brev$|(?:git|build)_?hash`)
	dateName    = lazyregexp.New(`(?i)date|time`)
	versionName = lazyregexp.New(`(?i)version|release|tag(?:$|[^a-z])`)
	foreignName = lazyregexp.New(`(?i)branch|user|host|dirty|state|go_?version|compiler|platform`)
	plainValue  = lazyregexp.New(`^[A-Za-z0-9_.:/@+=-]+$`)
)

// A version in a value is one of these until its form is known: that of the tag of git, that
// without its v, or that known to a person only.
const (
	asTag   = "{{tag}}"
	asBare  = "{{bare}}"
	asNamed = "{{named}}"
)

// versionOf returns the placeholder of the version that a value has.
func (d *Draft) versionOf(value string) string {
	text := value
	if inner, rest, ok := makefile.Reference(value); ok && rest == "" && d.make.Values[inner] != "" {
		text = d.make.Values[inner]
	}
	switch {
	case strippedTag.MatchString(text):
		return asBare
	case wholeTag.MatchString(text) && withoutV1.MatchString(text):
		return asBare
	case wholeTag.MatchString(text):
		return asTag
	case literalVersion.MatchString(value) && strings.HasPrefix(value, "v"):
		return asTag
	case literalVersion.MatchString(value):
		return asBare
	case strings.Contains(value, "$") && slices.ContainsFunc(d.dockerBuilds, func(b dockerBuild) bool {
		return slices.ContainsFunc(b.names, func(n string) bool { return strings.HasSuffix(n, ":"+value) })
	}):
		return "{{.Version}}" // as images have it
	}
	return asNamed
}

// shortRevision matches what makes the short name of a commit.
var shortRevision = lazyregexp.New(`ShortCommit|--short(?:=([0-9]+))?\b`)

// revisionOf returns the commit as a value has it: whole, or the beginning of its name.
func revisionOf(value string) string {
	if m := shortRevision.FindStringSubmatch(value); m != nil {
		return "{{slice .Revision 0 " + cmp.Or(m[1], "7") + "}}"
	}
	return "{{.Revision}}"
}

// withoutV1 matches what takes the v off a tag of git.
var withoutV1 = lazyregexp.New(`(?:\b|_)(?:sed|cut|tr)(?:\b|_)|patsubst v|subst v|#v|%v`)

// strippedTag matches a tag of git that a shell takes the v off.
var strippedTag = lazyregexp.New(`\$\{\w*(?i:tag|version|ref_name)\w*(?:#{1,2}v|//?v/?)\}|\$\{GITHUB_REF#refs/tags/v\}`)

// wholeTag matches what a shell or a command makes of a tag of git, as it is.
var wholeTag = lazyregexp.New(`^\$\{GITHUB_REF(?:#refs/(?:tags|\*)/|##\*/)\}$|git[ _]describe`)

// envField matches a value of an environment in a template of GoReleaser or ko.
var envField = lazyregexp.New(`^\{\{-?\s*\.Env\.(\w+)\s*-?\}\}$`)

// template returns what slipway.yaml writes for a value that a build gives a variable.
func (d *Draft) template(variable, value string) (string, bool) {
	variable = strings.TrimPrefix(strings.ToLower(variable), "git") // gitVersion
	if goreleaserField.MatchString(value) {
		return releaserValue(value)
	}
	if before, inner, after, ok := around(value); ok {
		now, known := d.template(variable, inner)
		return before + now + after, known
	}
	inner, rest, ok := makefile.Reference(value)
	if m := envField.FindStringSubmatch(value); m != nil {
		inner, rest, ok = m[1], "", true
	}
	switch {
	case foreignName.MatchString(variable):
		return "", false
	case commitName.MatchString(variable):
		if ok && d.make.Values[inner] != "" {
			value += d.make.Values[inner]
		}
		return revisionOf(value), true
	case dateName.MatchString(variable):
		return "{{.Created}}", true
	case versionName.MatchString(variable), ok && rest == "" && versionArgument.MatchString(inner):
		return d.versionOf(value), true
	case plainValue.MatchString(value):
		return value, true
	}
	return "", false
}

// vField matches the version of GoReleaser with the v of a tag before it.
var vField = lazyregexp.New(`\bv(\{\{-?\s*)\.Version(\s*-?\}\})`)

// releaserValue returns what slipway.yaml writes for a value with fields of GoReleaser, if it knows
// all of them.
func releaserValue(value string) (string, bool) {
	value = vField.ReplaceAllString(value, "${1}.Tag$2")
	rest := goreleaserField.ReplaceAllString(value, "")
	if strings.Contains(rest, "{{") || strings.Contains(rest, "$") {
		return "", false
	}
	return goreleaserField.ReplaceAllStringFunc(value, func(f string) string {
		switch field := goreleaserField.FindStringSubmatch(f)[1]; field {
		case "Version":
			return asBare
		case "Tag":
			return asTag
		case "Date", "CommitDate":
			return "{{.Created}}"
		default:
			return revisionOf(field)
		}
	}), true
}

// around divides a value at the only thing in it that a build puts into it. ok is false where there
// is none, or more than one, or no text around it.
func around(value string) (before, inner, after string, ok bool) {
	all := tagToken.FindAllStringIndex(value, 2)
	if len(all) != 1 {
		return "", "", "", false
	}
	before, inner, after = value[:all[0][0]], value[all[0][0]:all[0][1]], value[all[0][1]:]
	ok = strings.ContainsAny(inner, "${") && before+after != "" && before != "v" &&
		!strings.ContainsAny(before+after, "${}()\"'`|")
	return before, inner, after, ok
}

// linkerFlags returns the flags of the linker that a text of make or a shell means, if all of its
// values are known.
func (d *Draft) linkerFlags(text string) (string, bool) {
	flags := strings.Fields(stripping(text))
	found := setting.FindAllStringSubmatch(strings.NewReplacer(`"`, "", `'`, "").Replace(text), -1)
	for _, m := range found {
		v, ok := d.template(m[2], strings.Trim(m[3], `'"`))
		if !ok || strings.ContainsAny(m[1], "$(){}") {
			return "", false
		}
		flags = append(flags, "-X "+m[1]+"."+m[2]+"="+v)
	}
	return strings.Join(flags, " "), len(found) > 0
}
