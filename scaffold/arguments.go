package scaffold

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

// predefined are the arguments that every build has, with what slipway.yaml calls them.
var predefined = arguments{
	"TARGETARCH": "{{.Arch}}", "TARGETOS": "{{.OS}}", "TARGETVARIANT": "{{.Variant}}",
	"TARGETPLATFORM": "{{.OS}}/{{.Arch}}",
	"BUILDPLATFORM":  "linux/amd64", "BUILDOS": "linux", "BUILDARCH": "amd64", "BUILDVARIANT": "",
	"HTTP_PROXY": "", "HTTPS_PROXY": "", "NO_PROXY": "", "http_proxy": "", "https_proxy": "", "no_proxy": "",
}

var (
	otherArch    = lazyregexp.New(`^(?:x86_64|x86-64|aarch64|armhf|armv[67]l?|i[3-6]86|amd64v[2-4])$`)
	architecture = lazyregexp.New(`^(?:[A-Z]+_|GO|TARGET)?ARCH$`)
	osName       = lazyregexp.New(`^(?:TARGET_?|GO|IMAGE_)?OS$`)
	windowsName  = lazyregexp.New(
		`(?:^|_)(?:OS_?VERSION|WINDOWS_?(?:OS_?)?VERSION|WIN_?VERSION|NANOSERVER_?VERSION|SERVERCORE_?VERSION|LTSC_?VERSION|WINDOWS_?RELEASE)$`)
	versionArgument = lazyregexp.New(
		`^(?:(?:APP|GIT|BUILD|RELEASE|IMAGE|PROJECT|DRIVER|PRODUCT|PKG|BINARY|BIN|STAGING)_?)?(?:VERSION|TAG|VER|RELEASE)$`)
	commitArgument = lazyregexp.New(
		`(?i)^(?:(?:git|vcs|build|source|src|app|product|project|release)_?)*(?:commit|revision|sha|ref|rev)(?:_?(?:sha|hash|id|short|sha1))*$`)
	dateArgument = lazyregexp.New(`(?i)^(?:(?:git|vcs|build|source|commit|release)_?)*(?:date|time|timestamp|created)$`)
	// foreignVersion matches a variable with the version of something else.
	foreignVersion = lazyregexp.New(
		`(?i)\$\W?(?:go|golang|alpine|node|nodejs|python|debian|ubuntu|base|kube|kubernetes|k8s|helm|kubectl|runtime|docker)_?(?:image_?)?(?:version|tag)\b`)
	ldflagsArgument = lazyregexp.New(`(?i)ld_?flags`)
	goreleaserField = lazyregexp.New(
		`\{\{-?\s*\.(Version|Tag|FullCommit|Commit|ShortCommit|Date|CommitDate)\s*-?\}\}`)
	// versionWord matches a version that is written out.
	versionWord = lazyregexp.New(`\bv?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.]+)?\b`)
	// wholeVariable matches a variable of make or a shell.
	wholeVariable = lazyregexp.New(`^\$(?:\([A-Za-z0-9_]+\)|\{[A-Za-z0-9_]+\}|[A-Za-z0-9_]+|\*)$`)
)

// arguments finds a value for each ARG of the stages that needs one: by its name, from builds, or
// by a question.
func (p *part) arguments() {
	for _, name := range p.declared() {
		if _, ok := predefined[name]; ok || strings.HasPrefix(name, "BUILDKIT_") {
			continue
		}
		def, has := p.defaultOf(name)
		value, given := p.meant(name, def)
		if !given {
			value, given = p.given(name, def, has)
		}
		if !given || has && value == def {
			continue
		}
		p.args[name] = value
		for _, b := range p.builds {
			if _, ok := b.args[name]; ok {
				p.note("args "+name, b.at)
			}
		}
		if len(p.places["args "+name]) == 0 {
			p.note("args "+name, place{p.from.path, p.from.lines[name]})
		}
	}
}

// globals are the arguments for FROM.
func (p *part) globals() arguments {
	args := maps.Clone(predefined)
	maps.Copy(args, p.from.args)
	maps.Copy(args, p.args)
	return args
}

// declared returns the names of the arguments before the first FROM and in the needed stages.
func (p *part) declared() []string {
	set := maps.Clone(map[string]string(p.from.args))
	for _, n := range p.from.open {
		set[n] = ""
	}
	for _, s := range p.stages {
		for a := range instructionsIn[*instructions.ArgCommand](s) {
			for _, kv := range a.Args {
				set[kv.Key] = ""
			}
		}
	}
	return sortedKeys(set)
}

// defaultOf returns the default of an argument.
func (p *part) defaultOf(name string) (string, bool) {
	if v, ok := p.from.args[name]; ok {
		return v, true
	}
	for _, s := range p.stages {
		for a := range instructionsIn[*instructions.ArgCommand](s) {
			for _, kv := range a.Args {
				if kv.Key == name && kv.Value != nil {
					return strings.Trim(*kv.Value, `"'`), true
				}
			}
		}
	}
	return "", false
}

// meant returns the template of an argument for the platform: the release of Windows in FROM, the
// architecture, the operating system.
func (p *part) meant(name, def string) (string, bool) {
	if p.os == platform.Windows && p.inFrom(name) {
		for _, text := range append([]string{def}, p.texts(name)...) {
			if v, ok := windowsReference(text); ok {
				return v, true
			}
		}
		if windowsName.MatchString(name) {
			return "{{.WindowsRelease}}", true
		}
	}
	switch {
	case name == "ARCH" && p.d.variantArch:
		return "{{.Arch}}{{.Variant}}", true
	case architecture.MatchString(name):
		if slices.ContainsFunc(p.texts(name), otherArch.MatchString) {
			return "", false // as another tool calls it
		}
		return "{{.Arch}}", true
	}
	return "{{.OS}}", osName.MatchString(name)
}

// texts are what builds give an argument.
func (p *part) texts(name string) (list []string) {
	for _, b := range p.builds {
		if v, ok := b.args[name]; ok {
			list = append(list, v)
		}
	}
	return list
}

// given returns the value that builds give an argument, or an answer: where builds of developers
// give another one than its default, where it may be the version, and where nothing that is known
// without running anything gives it one.
func (p *part) given(name, def string, has bool) (value string, ok bool) {
	var all []claim
	why, rank, guessed := "no Makefile, workflow, script or bake file gives it one", develops, false
	for _, b := range p.builds {
		text, gives := b.args[name]
		if !gives {
			rank = max(rank, b.rank)
			continue
		}
		v, known := p.d.argument(name, text)
		switch {
		case known && strings.Contains(text, "$") && p.inFrom(name): // a base, which its name does not tell
			all, guessed = append(all, claim{"{{.Version}}", develops, b.at}), true
		case known && strings.Contains(v, "{{"):
			return v, true
		case known:
			all = append(all, claim{v, b.argumentRank(name), b.at})
			rank = max(rank, b.argumentRank(name))
		default:
			why = b.at.String() + " gives it " + text
		}
	}
	if len(all) == 0 && strings.HasPrefix(why, "no ") && has && rank == publishes {
		return "", false // what publishes takes the default
	}
	literal := def
	if len(all) > 0 {
		literal = all[0].value
	}
	if def != "" {
		all = append(all, claim{def, develops, place{p.from.path, p.from.lines[name]}})
	}
	switch stands, ok := p.d.argument(name, "$"+name); {
	case len(all) == 0 && ok && !has && strings.HasPrefix(why, "no ") && p.needs(name):
		all = []claim{{value: strings.ReplaceAll(stands, asNamed, "{{.Version}}")}}
	case ldflagsArgument.MatchString(name) && versionWord.MatchString(literal):
		stands = versionWord.ReplaceAllString(literal, "{{.Version}}")
		all = append([]claim{{stands, rank, place{}}}, all...)
	case versionArgument.MatchString(name) && literal != "" && !guessed:
		all = append([]claim{{"{{.Version}}", rank, place{}}}, all...)
	case len(all) > 0 && !guessed && (proven(candidates(all)) || len(candidates(all)) == 1 ||
		!p.inFrom(name) && all[0].rank != publishes):
		return all[0].value, all[0].value != def
	case len(all) == 0 && !p.needs(name) && strings.HasPrefix(why, "no "):
		return "", false
	case len(all) == 0:
		v := p.d.shared("args."+name, p.from.path, fmt.Sprintf(
			"the argument %s of %s, which has no value that is known "+
				"without running anything: %s; write it under args", name, p.from.path, why), nil)
		return v, v != ""
	}
	return p.d.shared("args."+name, p.from.path, "the argument "+name+" of "+p.from.path+" in a release", all), true
}

// windowsReference replaces the release that a text names by that of each platform.
func windowsReference(s string) (string, bool) {
	if begins(s) {
		return "{{.WindowsRelease}}", true
	}
	repository, tag := splitReference(s)
	if tag != "" && !shell.Unknown(repository) &&
		(begins(tag) || wholeVariable.MatchString(tag) && isWindows.MatchString(repository)) {
		return repository + ":{{.WindowsRelease}}", true
	}
	return "", false
}

// begins reports whether a tag begins with a release of Windows.
func begins(tag string) bool {
	first, _, _ := strings.Cut(tag, "-")
	return platform.TagVersion(first) != ""
}

// argument returns the template of a value that a build gives an argument.
func (d *Draft) argument(name, value string) (string, bool) {
	if ldflagsArgument.MatchString(name) && shell.Unknown(value) {
		return d.linkerFlags(value)
	}
	value = goreleaserField.ReplaceAllStringFunc(value, func(f string) string {
		switch word := goreleaserField.FindStringSubmatch(f)[1]; {
		case strings.Contains(word, "Commit") && word != "CommitDate":
			return "<<.Revision>>"
		case strings.Contains(word, "Date"):
			return "<<.Created>>"
		case word == "Tag":
			return "<<tag>>"
		}
		return "<<bare>>"
	})
	if !shell.Unknown(value) {
		return strings.NewReplacer("<<", "{{", ">>", "}}").Replace(value), true
	}
	switch {
	case foreignName.MatchString(name), foreignVersion.MatchString(value):
		return "", false
	case commitArgument.MatchString(name):
		return "{{.Revision}}", true
	case dateArgument.MatchString(name):
		return "{{.Created}}", true
	}
	return d.versionOf(value), versionArgument.MatchString(name) ||
		strings.EqualFold(name, strings.ReplaceAll(d.repositoryName(), "-", "_")+"_VERSION")
}

// used returns whether an argument is in a text, without a default of its own there.
func used(name, text string) bool {
	name = regexp.QuoteMeta(name)
	return regexp.MustCompile(`\$(?:` + name + `\b|\{` + name + `(?:\}|[#%/]))`).MatchString(text)
}

// inFrom reports whether the base of a needed stage depends on an argument, also through the
// default of another one. The base of one that only compiles does not count.
func (p *part) inFrom(name string) bool {
	has := func(name string) bool {
		return slices.ContainsFunc(p.stages, func(s *stage) bool {
			return (s == p.of || !s.builder()) && used(name, s.BaseName)
		})
	}
	for other, text := range p.from.defaults {
		if used(name, text) && has(other) {
			return true
		}
	}
	return has(name)
}

// needs reports whether an image is another one without the argument: FROM, an instruction of a
// stage that does not only compile has it.
func (p *part) needs(name string) bool {
	return p.inFrom(name) || slices.ContainsFunc(p.stages, func(s *stage) bool {
		return slices.ContainsFunc(s.commands, func(c command) bool {
			_, run := c.Command.(*instructions.RunCommand)
			return used(name, c.node.Original) && !run && (s == p.of || !s.builder())
		})
	})
}
