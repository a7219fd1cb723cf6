package scaffold

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// predefined are the arguments that every build has, with what slipway.yaml calls them.
var predefined = arguments{
	"TARGETARCH": "{{.Arch}}", "TARGETOS": "{{.OS}}", "TARGETVARIANT": "{{.Variant}}",
	"TARGETPLATFORM": "{{.OS}}/{{.Arch}}",
	"BUILDPLATFORM":  "linux/amd64", "BUILDOS": "linux", "BUILDARCH": "amd64", "BUILDVARIANT": "",
	"HTTP_PROXY": "", "HTTPS_PROXY": "", "NO_PROXY": "", "http_proxy": "", "https_proxy": "", "no_proxy": "",
}

var (
	osName      = lazyregexp.New(`^(?:TARGET_?|GO|IMAGE_)?OS$`)
	windowsName = lazyregexp.New(
		`(?:^|_)(?:OS_?VERSION|WINDOWS_?(?:OS_?)?VERSION|WIN_?VERSION|NANOSERVER_?VERSION|SERVERCORE_?VERSION|LTSC_?VERSION|WINDOWS_?RELEASE)$`)
	versionArgument = lazyregexp.New(
		`^(?:(?:APP|GIT|BUILD|RELEASE|IMAGE|PROJECT|DRIVER|PRODUCT|PKG|BINARY|BIN|STAGING)_?)?(?:VERSION|TAG|VER)$`)
	ldflagsArgument = lazyregexp.New(`(?i)ld_?flags`)
	goreleaserField = lazyregexp.New(
		`\{\{-?\s*\.(Version|Tag|FullCommit|Commit|ShortCommit|Date|CommitDate)\s*-?\}\}`)
)

// arguments finds a value for each ARG of the stages: the one that builds give, that which its name
// means, or its default.
func (p *part) arguments() {
	for _, name := range p.declared() {
		if _, ok := predefined[name]; ok || strings.HasPrefix(name, "BUILDKIT_") {
			continue
		}
		def, has := p.defaultOf(name)
		value, given, why := p.value(name, def)
		switch {
		case given:
			if !has || value != def {
				p.args[name] = value
			}
		case !has && why != "" && p.compilesWith(name) && !foreignName.MatchString(name),
			p.critical(name) && (!has || why != "" && !p.program(name)):
			why = cmp.Or(why, "no Makefile, workflow, script or bake file gives it one")
			p.lacks(fmt.Sprintf("the argument %s of %s has no value that is known without running "+
				"anything: %s; write it under args", name, p.from.path, why))
		}
	}
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

// value returns what slipway.yaml gives an argument, and why it gives none although a build does.
func (p *part) value(name, def string) (value string, ok bool, why string) {
	if p.os == platform.Windows && p.inFrom(name) {
		if v, ok := windowsReference(def); ok {
			return v, true, ""
		}
		if windowsName.MatchString(name) {
			return "{{.WindowsRelease}}", true, ""
		}
	}
	switch {
	case name == "ARCH" && p.d.variantArch:
		return "{{.Arch}}{{.Variant}}", true, ""
	case architecture.MatchString(name):
		return "{{.Arch}}", true, ""
	case osName.MatchString(name):
		return "{{.OS}}", true, ""
	}
	for _, b := range p.builds {
		v, ok := b.args[name]
		if !ok {
			continue
		}
		if p.os == platform.Windows && p.inFrom(name) {
			if w, ok := windowsReference(v); ok {
				return w, true, ""
			}
		}
		if v, ok := p.d.argument(name, v); ok {
			return v, true, ""
		}
		why = b.at + " gives it " + v
	}
	if why == "" && def == "" {
		if v, ok := p.d.argument(name, "$"+name); ok && !ldflagsArgument.MatchString(name) {
			return v, true, ""
		}
	}
	return "", false, why
}

// wholeVariable matches a variable of make or a shell.
var wholeVariable = lazyregexp.New(`^\$(?:\([A-Za-z0-9_]+\)|\{[A-Za-z0-9_]+\}|[A-Za-z0-9_]+|\*)$`)

// windowsReference puts the release of each platform in the place of the one that a text names.
func windowsReference(s string) (string, bool) {
	if platform.TagVersion(s) != "" {
		return "{{.WindowsRelease}}", true
	}
	repository, tag := splitReference(s)
	if tag != "" && !unknown(repository) &&
		(platform.TagVersion(tag) != "" || wholeVariable.MatchString(tag) && isWindows.MatchString(repository)) {
		return repository + ":{{.WindowsRelease}}", true
	}
	return "", false
}

// argument returns the template of a value that a build gives an argument.
func (d *Draft) argument(name, value string) (string, bool) {
	if ldflagsArgument.MatchString(name) && unknown(value) {
		return d.linkerFlags(value)
	}
	value = goreleaserField.ReplaceAllStringFunc(value, func(f string) string {
		switch word := goreleaserField.FindStringSubmatch(f)[1]; {
		case strings.Contains(word, "Commit") && word != "CommitDate":
			return "<<.Revision>>"
		case strings.Contains(word, "Date"):
			return "<<.Created>>"
		}
		return "<<.Version>>"
	})
	if !unknown(value) {
		return strings.NewReplacer("<<", "{{", ">>", "}}").Replace(value), true
	}
	switch {
	case foreignName.MatchString(name):
		return "", false
	case commitName.MatchString(name):
		return "{{.Revision}}", true
	case dateName.MatchString(name):
		return "{{.Created}}", true
	case versionArgument.MatchString(name),
		strings.EqualFold(name, strings.ReplaceAll(d.repositoryName(), "-", "_")+"_VERSION"):
		return "{{.Version}}", true
	}
	return "", false
}

// linkerFlags returns the flags of the linker that a text of make or a shell stands for, if all of
// its values are known.
func (d *Draft) linkerFlags(text string) (string, bool) {
	var flags []string
	for _, m := range strips.FindAllStringSubmatch(text, -1) {
		flags = append(flags, "-"+m[1])
	}
	found := setting.FindAllStringSubmatch(strings.NewReplacer(`"`, "", `'`, "").Replace(text), -1)
	for _, m := range found {
		v, ok := template(m[2], strings.Trim(m[3], `'"`))
		if !ok || strings.ContainsAny(m[1], "$(){}") {
			return "", false
		}
		flags = append(flags, "-X "+m[1]+"."+m[2]+"="+v)
	}
	return strings.Join(flags, " "), len(found) > 0
}

// used returns whether an argument is in a text, without a default of its own there.
func used(name, text string) bool {
	return regexp.MustCompile(`\$(?:` + name + `\b|\{` + name + `(?:\}|[#%/]))`).MatchString(text)
}

// inFrom reports whether the base of a needed stage depends on an argument, also through the
// default of another one.
func (p *part) inFrom(name string) bool {
	for other, text := range p.from.defaults {
		if used(name, text) && p.baseHas(other) {
			return true
		}
	}
	return p.baseHas(name)
}

// baseHas reports whether FROM of a needed stage has an argument. The base of one that only
// compiles does not count.
func (p *part) baseHas(name string) bool {
	return slices.ContainsFunc(p.stages, func(s *stage) bool {
		return (s == p.of || !s.builder()) && used(name, s.BaseName)
	})
}

// critical reports whether an image is another one without the argument: FROM, a file's path or
// what it starts depends on it.
func (p *part) critical(name string) bool {
	if p.inFrom(name) {
		return true
	}
	for _, s := range p.stages {
		for _, c := range s.commands {
			switch c.Command.(type) {
			case *instructions.CopyCommand, *instructions.AddCommand, *instructions.EntrypointCommand,
				*instructions.CmdCommand, *instructions.UserCommand, *instructions.WorkdirCommand,
				*instructions.EnvCommand:
				if (s == p.of || !s.builder()) && used(name, c.node.Original) {
					return true
				}
			}
		}
	}
	return false
}

// compilesWith reports whether a command that compiles has the argument.
func (p *part) compilesWith(name string) bool {
	return slices.ContainsFunc(p.stages, func(s *stage) bool {
		return slices.ContainsFunc(s.commands, func(c command) bool {
			return buildsGo.MatchString(c.node.Original) && used(name, c.node.Original)
		})
	})
}

// program reports whether all that the argument's default is used for are paths of programs.
func (p *part) program(name string) bool {
	if p.inFrom(name) {
		return false
	}
	for _, s := range p.stages {
		env := p.environment(s)
		for _, c := range s.commands {
			switch now := c.Command.(type) {
			case *instructions.ArgCommand:
				p.define(now, env)
			case *instructions.CopyCommand:
				for _, src := range now.SourcePaths {
					if _, ok := p.programOf(p.from.word(src, env), now.DestPath, nil); used(name, src) && !ok {
						return false
					}
				}
			}
		}
	}
	return true
}
