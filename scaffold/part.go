package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/platform"
)

// part is an image for one operating system: a stage of a Dockerfile, which stays as it is, and
// what slipway.yaml says besides.
type part struct {
	d       *Draft
	from    *recipe
	os      string
	target  string // a template; "" is the last stage
	of      *stage // the stage, or one of those for each Windows release
	family  []*stage
	stages  []*stage // that it is made from, itself the last
	builds  []dockerBuild
	args    map[string]string // templates
	outputs map[string]string // places of programs
	// promised are the places in stages that compile by themselves, until the check refuses one.
	promised    map[*stage]*promise
	missing     []string
	context     string
	releases    []string // of Windows, if FROM names some
	programs    []string
	description string
	variant     string // of Prometheus' images, which is the end of a tag
}

// promise is what the image copies from a stage that compiles.
type promise struct {
	outputs map[string]wanted
	all     bool // nothing else is copied from it
	used    bool // slipway.yaml has them
}

// newPart reads what a stage needs.
func (d *Draft) newPart(r *recipe, os string, family []*stage, builds []dockerBuild) *part {
	p := &part{
		d: d, from: r, os: os, of: family[len(family)-1], family: family, builds: builds,
		args: map[string]string{}, outputs: map[string]string{}, promised: map[*stage]*promise{},
	}
	p.stages = r.needed(p.of)
	p.setTarget()
	p.findContext()
	p.arguments()
	p.compilers()
	for _, s := range p.stages {
		p.stage(s)
	}
	p.windowsReleases()
	return p
}

// setTarget names the stage where it is not the last of its file. Stages for each Windows release
// are one template.
func (p *part) setTarget() {
	if p.of == p.from.last() && len(p.family) == 1 {
		return
	}
	if len(p.family) == 1 {
		p.target = p.of.Name
		return
	}
	rest := ""
	for _, s := range p.family {
		word := windowsWord(s.Name)
		release := platform.Release(platform.TagVersion(word))
		p.releases = append(p.releases, release)
		if release == word {
			rest = strings.Replace(s.Name, word, "{{.WindowsRelease}}", 1)
			continue
		}
		p.target += `{{if eq .WindowsRelease "` + release + `"}}` + s.Name + `{{end}}`
	}
	if rest != "" && p.target != "" {
		p.target = strings.ReplaceAll(p.target, "{{end}}", "{{else}}") +
			rest + strings.Repeat("{{end}}", strings.Count(p.target, "{{end}}"))
	} else if rest != "" {
		p.target = rest
	}
}

// windowsWord returns the part of a stage's name that is a Windows release, "" if none is.
func windowsWord(name string) string {
	for _, w := range wordsOf(name) {
		if platform.TagVersion(w) != "" {
			return w
		}
	}
	return ""
}

// findContext takes the context from the builds, and else the directory that has the files.
func (p *part) findContext() {
	for _, b := range p.builds {
		if b.context != "" && p.d.tree.hasDir(b.context) {
			p.context = path.Clean(b.context)
			return
		}
	}
}

// inContext reports whether the repository has a file or directory, in its root or next to the
// Dockerfile, which then is the context.
func (p *part) inContext(src string) bool {
	for _, context := range []string{p.context, ".", path.Dir(p.from.path)} {
		if context != "" && p.d.tree.matches(path.Join(context, starred(src))) {
			if p.context == "" {
				p.context = context
			}
			return true
		}
		if p.context != "" {
			return false
		}
	}
	return false
}

// stage reads the instructions of a stage.
func (p *part) stage(s *stage) {
	env := p.environment(s)
	for _, c := range s.commands {
		switch now := c.Command.(type) {
		case *instructions.ArgCommand:
			p.define(now, env)
		case *instructions.EnvCommand:
			for _, kv := range now.Env {
				env[kv.Key] = p.from.word(kv.Value, env)
			}
		case *instructions.LabelCommand:
			if s == p.of {
				p.label(now)
			}
		case *instructions.CopyCommand:
			p.copies(s, now, env)
		}
	}
	if s == p.of || !s.builder() {
		p.exchange(s)
	}
}

func (p *part) label(c *instructions.LabelCommand) {
	for _, l := range c.Labels {
		switch strings.Trim(l.Key, `"`) {
		case "description":
			p.description = strings.Trim(l.Value, `"`)
		case "io.prometheus.image.variant":
			p.variant = strings.Trim(l.Value, `"`)
		}
	}
}

// exchange declares the built-in base that has the files of a stage's base.
func (p *part) exchange(s *stage) {
	if p.os != platform.Linux {
		p.microsoft(s)
		return
	}
	for _, on := range p.d.platforms {
		now, err := platform.Parse(on)
		if err != nil || now.OS != platform.Linux {
			continue
		}
		ref := p.from.word(s.BaseName, p.globals())
		ref = strings.NewReplacer("{{.Arch}}", now.Architecture, "{{.OS}}", now.OS, "{{.Variant}}",
			now.Variant).Replace(ref)
		p.d.exchange(ref, true)
	}
}

// microsoft declares the base for HostProcess containers, which is one image for all releases.
func (p *part) microsoft(s *stage) {
	if hostProcessBase.MatchString(p.from.word(s.BaseName, p.globals())) {
		p.d.addBase(base{name: "hostprocess", microsoft: "hostprocess"})
	}
}

// compilers takes from the stages that compile the flags that they give the compiler.
func (p *part) compilers() {
	for _, s := range p.stages {
		args := arguments{}
		for _, c := range s.commands {
			switch now := c.Command.(type) {
			case *instructions.ArgCommand:
				p.from.define(now, args)
			case *instructions.RunCommand:
				line := strings.Join(now.CmdLine, " ")
				if !s.builder() {
					continue
				}
				p.d.environment(expandKnown(line, args), p.from.path)
				for part := range strings.SplitSeq(line, "&&") {
					if b := goBuild.FindStringSubmatch(part); b != nil {
						p.d.ldflags(b[1], p.from.path)
						if m, ok := p.d.goBuild(b[1], ""); ok {
							p.d.compiled[m.dir] = true
						}
					}
				}
			}
		}
	}
}

// expandKnown replaces variables that have a value, and leaves the others.
func expandKnown(s string, args arguments) string {
	for _, k := range args.Keys() {
		s = strings.NewReplacer("${"+k+"}", args[k], "$"+k, args[k]).Replace(s)
	}
	return s[:min(len(s), maxExpanded)]
}

// lacks notes what the image lacks, once.
func (p *part) lacks(what string) {
	p.missing = appendNew(p.missing, what)
}

// use declares the programs of places.
func (p *part) use(outputs map[string]wanted) {
	for _, place := range sortedKeys(outputs) {
		p.outputs[place] = p.d.declare(outputs[place])
		p.programs = appendNew(p.programs, p.outputs[place])
	}
	slices.Sort(p.programs)
}

// windowsReleases notes the releases that FROM names without a variable.
func (p *part) windowsReleases() {
	if p.os != platform.Windows || len(p.releases) > 0 {
		return
	}
	for _, s := range p.stages {
		if !isWindows.MatchString(s.base) || strings.Contains(s.Platform, platform.Linux) {
			continue
		}
		_, tag := splitReference(p.from.word(s.BaseName, p.globals()))
		tag, _, _ = strings.Cut(tag, "@")
		if v := platform.TagVersion(tag); v != "" {
			p.releases = appendNew(p.releases, platform.Release(v))
		}
	}
}
