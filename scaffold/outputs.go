package scaffold

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

var templated = lazyregexp.New(`\{\{[^}]*\}\}`)

// starred puts * in the place of what depends on the platform.
func starred(s string) string { return templated.ReplaceAllString(s, "*") }

// copies finds the programs that a COPY expects: in the context, or in a stage that compiles.
func (p *part) copies(s *stage, c *instructions.CopyCommand, env arguments) {
	from, sources := c.From, c.SourcePaths
	other := p.from.before(from, slices.Index(p.from.stages, s))
	if from != "" && (other == nil || !other.builder()) {
		return
	}
	for _, src := range sources {
		full := strings.ReplaceAll(p.from.word(src, env), `\`, "/")
		if from == "" {
			p.fromContext(src, full, c.DestPath)
			continue
		}
		if p.promised[other] == nil {
			p.promised[other] = &promise{outputs: map[string]wanted{}, all: true}
		}
		w, ok := p.programOf(full, c.DestPath, other)
		place, fits := p.place(full, w.file())
		if !ok || !fits {
			p.promised[other].all = false
			continue
		}
		p.promised[other].outputs[from+":"+path.Clean("/"+place)] = w
	}
}

// fromContext finds a program that a build puts into the context.
func (p *part) fromContext(src, full, dest string) {
	if wide(full) && p.madeContext() {
		p.lacks("COPY " + src + " of " + p.from.path + " copies what a build puts into its context, " +
			"whose directory is not known without running anything: name the programs under outputs")
		return
	}
	if !p.madeContext() && p.inContext(full) {
		return
	}
	w, ok := p.programOf(full, dest, nil)
	if place, fits := p.place(full, w.file()); ok && fits {
		p.use(map[string]wanted{strings.TrimPrefix(path.Clean("/"+place), "/"): w})
	}
}

// wide reports whether a source is all of a context.
func wide(src string) bool {
	return slices.Contains([]string{"", ".", "*"}, strings.Trim(path.Clean("/"+src), "/"))
}

// madeContext reports whether all builds have a context that is not in the repository.
func (p *part) madeContext() bool {
	return len(p.builds) > 0 && p.context == "" && !p.builds[0].releaser
}

// place returns where outputs has a program: what matches a pattern, and no other field of a
// template than outputs knows.
func (p *part) place(full, name string) (string, bool) {
	full = lazyregexp.New(`^[A-Za-z]:/`).ReplaceAllString(full, "/")
	if before, after, ok := strings.Cut(full, "*"); ok {
		if strings.Contains(path.Base(before), name) || strings.Contains(after, name) {
			name = ""
		}
		full = before + name + after
	}
	bad := strings.ContainsAny(full, "*?[$") || strings.Contains(full, ".WindowsRelease") ||
		strings.HasSuffix(full, "/")
	return full, !bad && name+full != ""
}

var archSuffix = lazyregexp.New(`[-_.](?:linux|windows|amd64|arm64|x86_64|\{\{\.(?:Arch|OS)\}\})$`)

// programOf returns the program that a path of a build names.
func (p *part) programOf(src, dest string, from *stage) (w wanted, ok bool) {
	base := strings.TrimSuffix(path.Base(src), ".exe")
	for archSuffix.MatchString(base) {
		base = archSuffix.ReplaceAllString(base, "")
	}
	base = strings.TrimRight(base, "-_.") // before a variable without a value
	prefix, _, isPattern := strings.Cut(base, "*")
	if m, ok := p.d.main(base); ok {
		return wanted{m, base}, true
	}
	if m, ok := find(p.d.mains, func(m mainPackage) bool { return isPattern && m.name == prefix }); ok && prefix != "" {
		return wanted{m, ""}, true
	}
	if from != nil {
		if path.Ext(base) != "" || base == "bin" { // a file of another kind, or a directory that the stage fills
			return wanted{}, false
		}
		if m, ok := p.built(from, base); ok {
			return wanted{m, base}, true
		}
	}
	if len(p.d.mains) == 1 && (!isPattern || strings.HasSuffix(src, ".exe")) && path.Ext(base) == "" &&
		base != "" && !p.d.tree.hasDir(src) && plausible(src, from) && p.starts(base, dest) {
		if isPattern {
			base = ""
		}
		return wanted{p.d.mains[0], base}, true
	}
	return wanted{}, false
}

// starts reports whether the image starts a file of this name, or of that which COPY gives it; or
// whether that is the name of the only program.
func (p *part) starts(base, dest string) bool {
	names := []string{base, fileOf(dest)}
	if slices.Contains(names, p.d.mains[0].name) {
		return true
	}
	for _, c := range p.of.commands {
		var line []string
		switch now := c.Command.(type) {
		case *instructions.EntrypointCommand:
			line = now.CmdLine
		case *instructions.CmdCommand:
			line = now.CmdLine
		}
		words := strings.Fields(strings.Join(line, " "))
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains(names, fileOf(w)) }) {
			return true
		}
	}
	return false
}

// fileOf returns the name of a program's file, without .exe.
func fileOf(p string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(p, `\`, "/")), ".exe")
}

// plausible reports whether a path looks like that of a program that a build made.
func plausible(src string, from *stage) bool {
	if from != nil {
		return !strings.HasPrefix(src, "/etc/") && !strings.HasPrefix(src, "/usr/share") &&
			!strings.HasSuffix(src, "/licenses") && !strings.HasSuffix(src, "/")
	}
	return regexp.MustCompile(`(?:^|/)(?:bin|_output|out|build|dist|output)/`).MatchString(src) ||
		strings.HasSuffix(src, ".exe")
}

// built returns the package that a stage compiles by go build.
func (p *part) built(s *stage, name string) (mainPackage, bool) {
	dir := ""
	for _, c := range s.commands {
		switch now := c.Command.(type) {
		case *instructions.WorkdirCommand:
			dir = now.Path
		case *instructions.RunCommand:
			for part := range strings.SplitSeq(strings.Join(now.CmdLine, " "), "&&") {
				b := goBuild.FindStringSubmatch(part)
				if b == nil {
					continue
				}
				m, ok := p.d.goBuild(b[1], "")
				if ok && (p.d.outputs[name] == m.dir || path.Base(dir) == name || len(p.d.mains) == 1) {
					return m, true
				}
			}
		}
	}
	return mainPackage{}, false
}

// wanted is a program that a Dockerfile expects, by the name of its file there.
type wanted struct {
	main mainPackage
	name string
}

func (w wanted) file() string { return cmp.Or(w.name, w.main.name) }

var programName = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// declare returns the name of the program, which slipway.yaml then has.
func (d *Draft) declare(w wanted) string {
	if !programName.MatchString(w.name) {
		w.name = ""
	}
	return d.program(w.main, w.name)
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
