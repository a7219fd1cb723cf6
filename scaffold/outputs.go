package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// The messages of the check about a file that a COPY wants and that is missing: in the context,
// or in a stage whose commands are not run.
var (
	notInContext = lazyregexp.New(`^(\S.*?) is (?:not there, or \.dockerignore names it|never part of a context)|^nothing matches (\S+),`)
	notInStage   = lazyregexp.New(`\((\S+), which is copied from the stage (\S+), may be what it writes\)`)
)

// wanted returns the place in outputs of what a fault says is not there, for all platforms; "" if
// it says something else.
func wanted(f fault) string {
	file, from := "", ""
	if m := notInContext.FindStringSubmatch(f.text); m != nil {
		file = strings.TrimPrefix(m[1]+m[2], "/")
	} else if m := notInStage.FindStringSubmatch(f.text); m != nil {
		file, from = m[1], m[2]+":"
	}
	on, err := platform.Parse(f.platform)
	if file == "" || err != nil {
		return ""
	}
	words := lazyregexp.New(`[A-Za-z0-9]+`)
	return from + words.ReplaceAllStringFunc(file, func(w string) string {
		switch w {
		case on.Architecture:
			return "{{.Arch}}"
		case on.Architecture + on.Variant:
			return "{{.Arch}}{{.Variant}}"
		}
		return w
	})
}

// put gives an image the program that a Dockerfile expects at a place. changed is false if that
// is not a program.
func (p *part) put(at string) (changed bool) {
	if _, ok := p.outputs[at]; ok {
		return false
	}
	base := strings.Trim(strings.TrimSuffix(path.Base(templated.ReplaceAllString(at, "")), ".exe"), "-_.")
	base = strings.Trim(withoutArch(base), "-_.")
	name, all := strings.Trim(base, "*-_."), strings.Contains(base, "*")
	m, ok := p.d.main(name)
	if !ok && name == "" && len(p.d.mains) == 1 {
		m, ok = p.d.mains[0], true
	}
	if !ok {
		if packaged.MatchString(at) || !p.d.plausible(name, at) {
			return false
		}
		if m, ok = p.d.answeredMain(name, at); !ok {
			return false
		}
	}
	if all || !programName.MatchString(name) {
		name = ""
	}
	program := p.d.program(m, name)
	if before, after, ok := strings.Cut(at, "*"); ok {
		if strings.Contains(path.Base(before), program) || strings.Contains(after, program) {
			program, at = p.d.program(m, ""), before+after
		} else {
			at = before + program + after
		}
	}
	return p.output(at, program)
}

// output names a program at a place. Two places of it that are one file for a platform become
// one: that with the variant, or else that of all platforms.
func (p *part) output(at, program string) (changed bool) {
	const variant = "{{.Variant}}"
	for _, old := range sortedKeys(p.outputs) {
		switch {
		case p.outputs[old] != program || !p.oneFile(old, at):
			continue
		case strings.ReplaceAll(old, variant, "") == strings.ReplaceAll(at, variant, "") && len(old) > len(at),
			!strings.Contains(old, "{{"):
			return false
		}
		delete(p.outputs, old)
	}
	p.outputs[at] = program
	return true
}

// oneFile reports whether two places are one for a platform of the part.
func (p *part) oneFile(a, b string) bool {
	return slices.ContainsFunc(p.d.platforms, func(s string) bool {
		on, err := platform.Parse(s)
		of := strings.NewReplacer("{{.Arch}}", on.Architecture, "{{.Variant}}", on.Variant)
		return err == nil && on.OS == p.os && of.Replace(a) == of.Replace(b)
	})
}

// plausible reports whether a place may be a program's: by its directory, its ending or its name.
func (d *Draft) plausible(name, at string) bool {
	if path.Ext(name) != "" || name == "" || len(d.mains) == 0 || strings.HasSuffix(at, "/") ||
		directory.MatchString(name) {
		return false
	}
	return strings.HasSuffix(at, ".exe") || strings.Contains(at, "{{") || strings.Contains(name, d.repositoryName()) ||
		slices.ContainsFunc(strings.Split(path.Dir(at), "/"), directory.MatchString)
}

// directory matches names of directories for programs, which no program has.
var directory = lazyregexp.New(`^_?(?:bin|dist|out|output|build|builds|release|bundle|licenses?|etc|usr|lib|config|web|assets|ui|static|public|local|opt|var|share)$`)

// packaged matches packages of distributions.
var packaged = lazyregexp.New(`\.(?:apk|deb|rpm|whl|jar|tgz|gz|zip)$`)

var (
	templated   = lazyregexp.New(`\{\{[^}]*\}\}`)
	programName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)
)

// answeredMain asks which program a file is.
func (d *Draft) answeredMain(name, at string) (mainPackage, bool) {
	var all []claim
	for _, m := range d.mains {
		all = append(all, claim{m.path(), develops, place{m.dir, 0}})
	}
	dir := d.decide("programs["+name+"]",
		"the main package of "+name+", which a build puts at "+at+" for a Dockerfile", all)
	return find(d.mains, func(m mainPackage) bool { return m.path() == dir })
}

// sharedOutputs makes one place of those for both operating systems.
func sharedOutputs(all map[string]string) map[string]string {
	out := map[string]string{}
	for place, name := range all {
		bare := strings.TrimSuffix(place, ".exe")
		if other, ok := all[bare+".exe"]; ok && other == name && all[bare] == name {
			out[bare+"{{.Exe}}"] = name
			continue
		}
		out[place] = name
	}
	return out
}

// bySystem makes one template of one for each operating system.
func bySystem(linux, windows string, both bool) string {
	switch {
	case !both || linux == windows:
		return linux + strings.TrimPrefix(windows, linux)
	case linux == "":
		return `{{if eq .OS "` + platform.Windows + `"}}` + windows + `{{end}}`
	case windows == "":
		return `{{if eq .OS "` + platform.Linux + `"}}` + linux + `{{end}}`
	}
	return `{{if eq .OS "` + platform.Windows + `"}}` + windows + `{{else}}` + linux + `{{end}}`
}
