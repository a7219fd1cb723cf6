package draft

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
)

// directory is where the Dockerfiles of a draft are, next to slipway.yaml.
const directory = "slipway"

// dockerImage makes one image of the Dockerfiles of a directory, one for each operating system.
func (d *Draft) dockerImage(dir, variant string, files map[string]string) {
	i := image{dockerfiles: map[string]string{}}
	var parts []*rewriting
	for _, os := range sortedKeys(files) {
		r := readDockerfile(files[os], d.tree.text(files[os]))
		if r == nil {
			d.hand("%s is not a Dockerfile that can be read: it is left out", files[os])
			continue
		}
		linux, windows := r.targets()
		if linux != nil && d.has(platform.Linux) && os == platform.Linux {
			parts = append(parts, d.rewrite(r, platform.Linux, linux, nil))
		}
		if len(windows) > 0 && d.has(platform.Windows) && (os == platform.Windows || files[platform.Windows] == "") {
			parts = append(parts, d.rewrite(r, platform.Windows, windows[len(windows)-1], windows))
		}
	}
	if len(parts) == 0 {
		return
	}
	if same := d.sameImage(parts); same != "" {
		d.found("%s: the same image as %s", parts[0].from.path, same)
		return
	}
	i.name = d.imageName(dir, parts)
	if variant != "" {
		i.name = nameOf(i.name + "-" + variant)
	}
	for slices.ContainsFunc(d.images, func(o image) bool { return o.name == i.name }) {
		i.name += "-2"
	}
	for _, p := range parts {
		f := file{path: path.Join(directory, i.name+"."+p.os+".Dockerfile"), os: p.os, lines: p.lines()}
		d.files = append(d.files, f)
		i.dockerfiles[p.os] = f.path
		i.notes = append(i.notes, p.notes...)
		if p.description != "" {
			i.description = p.description
		}
		if p.context != "" {
			i.context = p.context
		}
		if imagename.IsTag(p.variant) {
			i.variant = p.variant
		}
		d.found("%s: image %s for %s, as %s", p.from.path, i.name, p.os, f.path)
	}
	if len(parts) == 1 && d.has(otherOS(parts[0].os)) {
		i.platforms = []string{parts[0].os}
	}
	d.images = append(d.images, i)
}

// sameImage returns the image that has the same Dockerfiles, after rewriting.
func (d *Draft) sameImage(parts []*rewriting) string {
	for _, f := range d.files {
		if len(parts) == 1 && f.os == parts[0].os && slices.Equal(f.lines[1:], parts[0].lines()[1:]) {
			return f.path
		}
	}
	return ""
}

func otherOS(os string) string {
	if os == platform.Linux {
		return platform.Windows
	}
	return platform.Linux
}

// imageName is that of the only program, or of the directory, or of the repository.
func (d *Draft) imageName(dir string, parts []*rewriting) string {
	if p := parts[0].programs; len(p) == 1 {
		return nameOf(p[0])
	}
	if n := path.Base(dir); dir != "." && !slices.Contains([]string{"docker", "build", "package", "dockerfiles", "images", "deploy"}, n) {
		return nameOf(n)
	}
	return d.repositoryName()
}

// repositoryName is the last part of the module's path, or the directory's name.
func (d *Draft) repositoryName() string {
	if d.source.module != "" {
		m := strings.TrimSuffix(d.source.module, majorSuffix(d.source.module))
		if u := strings.TrimPrefix(d.source.url, "https://"); u != "" {
			m = u
		}
		return nameOf(path.Base(m))
	}
	return nameOf(path.Base(d.Dir))
}

// rewriting is a Dockerfile in the making that copies programs from the context binaries.
type rewriting struct {
	d           *Draft
	from        *recipe
	os          string
	stages      []*stage
	text        map[*stage][]string
	programs    []string
	context     string
	description string
	variant     string // of Prometheus' images, which is the end of a tag
	notes       []string
	bases       map[*stage]string
}

// rewrite makes the Dockerfile of one stage. Of family, for Windows, each stage is that of another
// Windows release.
func (d *Draft) rewrite(r *recipe, os string, target *stage, family []*stage) *rewriting {
	w := &rewriting{d: d, from: r, os: os, text: map[*stage][]string{}, bases: map[*stage]string{}}
	w.need(target)
	w.builders()
	for _, s := range w.stages {
		w.stage(s)
	}
	for _, s := range w.stages {
		if from := r.find(s.base); from != nil && from != s && !from.builder() {
			w.bases[s] = from.Name
			continue
		}
		of := []*stage{s}
		if s == target && len(family) > 0 {
			of = family
		}
		w.bases[s] = d.base(r, os, of, &w.notes)
	}
	return w
}

// builders takes from the stages that compile what they tell the compiler.
func (w *rewriting) builders() {
	for _, s := range w.from.stages {
		args := arguments{}
		for _, c := range s.commands {
			switch now := c.Command.(type) {
			case *instructions.ArgCommand:
				w.from.define(now, args)
			case *instructions.RunCommand:
				line := strings.Join(now.CmdLine, " ")
				if s.builder() {
					w.d.environment(expandKnown(line, args), w.from.path)
				}
				if b := goBuild.FindStringSubmatch(line); b != nil {
					w.d.ldflags(b[1], w.from.path)
					w.d.goBuild(b[1], "")
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

// need adds a stage after those that it is made from. Stages that only compile are replaced.
func (w *rewriting) need(s *stage) {
	if slices.Contains(w.stages, s) {
		return
	}
	names := []string{s.base}
	for _, c := range s.commands {
		if copied, ok := c.Command.(*instructions.CopyCommand); ok {
			names = append(names, copied.From)
		}
	}
	for _, n := range names {
		if other := w.from.find(n); other != nil && other != s && !other.builder() && slices.Index(w.from.stages, other) < slices.Index(w.from.stages, s) {
			w.need(other)
		}
	}
	w.stages = append(w.stages, s)
}

// stage rewrites the instructions of a stage.
func (w *rewriting) stage(s *stage) {
	args := arguments{}
	for _, c := range s.commands {
		lines := w.from.text(c.node)
		switch now := c.Command.(type) {
		case *instructions.ArgCommand:
			w.from.define(now, args)
		case *instructions.LabelCommand:
			for _, l := range now.Labels {
				switch strings.Trim(l.Key, `"`) {
				case "description":
					w.description = strings.Trim(l.Value, `"`)
				case "io.prometheus.image.variant":
					w.variant = strings.Trim(l.Value, `"`)
				}
			}
		case *instructions.CopyCommand:
			lines = w.copy(now, args, lines)
		case *instructions.AddCommand:
			lines = w.add(now, args, lines)
		}
		w.text[s] = append(w.text[s], lines...)
	}
	w.text[s] = withoutUnused(w.text[s])
}

var argLine = regexp.MustCompile(`(?i)^\s*ARG\s+([A-Za-z_][A-Za-z0-9_]*)(?:=\S*)?\s*$`)

// withoutUnused drops ARG lines that nothing refers to, which rewriting leaves.
func withoutUnused(lines []string) []string {
	for n := len(lines) - 1; n >= 0; n-- {
		a := argLine.FindStringSubmatch(lines[n])
		if a == nil {
			continue
		}
		used := regexp.MustCompile(`\$\{?` + a[1] + `\b`)
		if !slices.ContainsFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "#") && used.MatchString(l) }) {
			lines = slices.Delete(lines, n, n+1)
		}
	}
	return lines
}

// lines returns the complete file.
func (w *rewriting) lines() []string {
	all := []string{"# Made by slipway init from " + output.Line(w.from.path) + ". The programs in the context binaries are those of slipway.yaml."}
	if t := w.from.lines[0]; strings.HasPrefix(t, "# escape=") {
		all = []string{t, all[0]}
	}
	for _, s := range w.stages {
		from := "FROM " + w.bases[s]
		if s.Name != "" && len(w.stages) > 1 && s != w.stages[len(w.stages)-1] {
			from += " AS " + s.Name
		}
		all = append(all, "", from)
		if slices.ContainsFunc(w.text[s], func(l string) bool {
			return strings.Contains(l, "${TARGETARCH}") && strings.Contains(l, "--from=binaries")
		}) &&
			!slices.ContainsFunc(w.text[s], func(l string) bool { return argLine.MatchString(l) && strings.Contains(l, "TARGETARCH") }) {
			all = append(all, "ARG TARGETARCH")
		}
		all = append(all, w.text[s]...)
	}
	return all
}

// comment returns lines as comments, with the reason before them.
func comment(reason string, lines []string) []string {
	out := []string{"# " + strings.ToUpper(reason[:1]) + output.Line(reason[1:]) + ":"}
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" {
			out = append(out, "#   "+output.Line(l))
		}
	}
	return out
}

// withFlags returns COPY with the flags that it had, and --from=binaries.
func withFlags(c *instructions.CopyCommand) string {
	s := "COPY --from=binaries"
	if c.Chown != "" {
		s += " --chown=" + c.Chown
	}
	if c.Chmod != "" {
		s += " --chmod=" + c.Chmod
	}
	return s
}

func quoteWord(s string) string {
	if strings.ContainsAny(s, " \t") {
		return fmt.Sprintf("%q", s)
	}
	return s
}
