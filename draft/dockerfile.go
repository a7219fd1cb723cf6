package draft

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/frontend/dockerfile/parser"
	"github.com/moby/buildkit/frontend/dockerfile/shell"

	"github.com/slipway-dev/slipway/platform"
)

// recipe is a Dockerfile of the repository.
type recipe struct {
	path   string
	lines  []string
	lex    *shell.Lex
	args   arguments // before the first FROM
	stages []*stage
}

// stage is one FROM with what follows.
type stage struct {
	instructions.Stage
	base     string // expanded as far as its arguments have defaults
	commands []command
}

// command is an instruction and its lines.
type command struct {
	instructions.Command // nil if BuildKit's parser refuses it
	node                 *parser.Node
}

// arguments are the defaults of ARG.
type arguments map[string]string

func (a arguments) Get(key string) (string, bool) { v, ok := a[key]; return v, ok }
func (a arguments) Keys() []string                { return sortedKeys(a) }

// readDockerfile parses a Dockerfile. The result is nil if that is not one.
func readDockerfile(name string, text []byte) *recipe {
	ast, err := parser.Parse(bytes.NewReader(text))
	if err != nil {
		return nil
	}
	r := &recipe{path: name, lines: strings.Split(strings.TrimRight(string(text), "\n"), "\n"), lex: shell.NewLex(ast.EscapeToken), args: arguments{}}
	for _, n := range ast.AST.Children {
		parsed, err := instructions.ParseInstruction(n)
		if err != nil {
			parsed = nil
		}
		switch c := parsed.(type) {
		case *instructions.Stage:
			r.stages = append(r.stages, &stage{Stage: *c, base: r.word(c.BaseName, r.args)})
		case *instructions.ArgCommand:
			if len(r.stages) == 0 {
				r.define(c, r.args)
				continue
			}
			r.last().commands = append(r.last().commands, command{c, n})
		default:
			if len(r.stages) == 0 {
				continue
			}
			known, _ := parsed.(instructions.Command)
			r.last().commands = append(r.last().commands, command{known, n})
		}
	}
	if len(r.stages) == 0 {
		return nil
	}
	return r
}

func (r *recipe) last() *stage { return r.stages[len(r.stages)-1] }

// word expands variables. Those without a value become empty.
func (r *recipe) word(s string, args arguments) string {
	if len(s) > maxExpanded {
		return ""
	}
	w, _, err := r.lex.ProcessWord(s, args)
	if err != nil || len(w) > maxExpanded {
		return ""
	}
	return w
}

// architecture matches the arguments that builds set to the architecture of an image: ARCH, GOARCH,
// TARGETARCH, DISTROLESS_ARCH.
var architecture = regexp.MustCompile(`^(?:[A-Z]+_|GO|TARGET)?ARCH$`)

// baseFor returns the base of a stage for one architecture. arch is Go's word for it, and docker
// the value that the repository's builds give ARCH.
func (r *recipe) baseFor(s *stage, arch, docker string) string {
	args := maps.Clone(r.args)
	args["TARGETOS"] = platform.Linux
	for _, name := range append(args.Keys(), "TARGETARCH") {
		switch {
		case name == "ARCH":
			args[name] = docker
		case architecture.MatchString(name):
			args[name] = arch
		}
	}
	return r.word(s.BaseName, args)
}

func (r *recipe) define(c *instructions.ArgCommand, args arguments) {
	for _, a := range c.Args {
		if a.Value != nil {
			args[a.Key] = r.word(*a.Value, args)
		} else if v, ok := r.args[a.Key]; ok {
			args[a.Key] = v
		}
	}
}

// find returns an earlier stage by its name.
func (r *recipe) find(name string) *stage {
	for _, s := range r.stages {
		if s.Name != "" && strings.EqualFold(s.Name, name) {
			return s
		}
	}
	return nil
}

// text returns the lines of an instruction as they are.
func (r *recipe) text(n *parser.Node) []string {
	if n.StartLine < 1 || n.EndLine > len(r.lines) || n.StartLine > n.EndLine {
		return []string{n.Original}
	}
	return r.lines[n.StartLine-1 : n.EndLine]
}

var (
	buildsGo  = regexp.MustCompile(`\bgo (?:build|install)\b|\bmake\b|\bmage\b|\bpromu\b|\bxx-go\b`)
	golang    = regexp.MustCompile(`(?:^|/)(?:golang|go|go-runner|oci-go|goboring)(?:[:@-]|$)`)
	isWindows = regexp.MustCompile(`(?i)windows|nanoserver|servercore`)
)

// builder reports whether a stage is there to compile programs.
func (s *stage) builder() bool {
	if golang.MatchString(s.base) {
		return true
	}
	return slices.ContainsFunc(s.commands, func(c command) bool {
		_, run := c.Command.(*instructions.RunCommand)
		return run && buildsGo.MatchString(c.node.Original)
	})
}

// starts reports whether a stage says what an image starts.
func (s *stage) starts() bool {
	return slices.ContainsFunc(s.commands, func(c command) bool {
		switch c.Command.(type) {
		case *instructions.EntrypointCommand, *instructions.CmdCommand:
			return true
		}
		return false
	})
}

// windows reports whether a stage is for Windows, through the stages that it starts from.
func (r *recipe) windows(s *stage) bool {
	if isWindows.MatchString(s.base) || isWindows.MatchString(s.Name) {
		return true
	}
	from := r.find(s.base)
	return from != nil && from != s && !from.builder() && isWindows.MatchString(from.base)
}

// targets returns the stages that are images: the last one, and where others that nothing refers
// to are for another operating system, those too.
func (r *recipe) targets() (linux *stage, windows []*stage) {
	used := map[*stage]bool{}
	for _, s := range r.stages {
		if from := r.find(s.base); from != s {
			used[from] = true
		}
		for _, c := range s.commands {
			if copied, ok := c.Command.(*instructions.CopyCommand); ok && copied.From != "" {
				used[r.find(copied.From)] = true
			}
		}
	}
	for _, s := range r.stages {
		switch {
		case used[s] || s.builder() && !s.starts():
		case r.windows(s):
			windows = append(windows, s)
		default:
			linux = s
		}
	}
	return linux, windows
}

// outside are Dockerfiles that are no images of a release, by the rest of their names.
var outside = []string{"dev", "debug", "test", "local", "ci", "build", "builder", "buildx", "dapper", "dockerignore", "txt", "md", "tmpl", "orig"}

// dockerfileNames lists the Dockerfiles of images.
func (d *Draft) dockerfileNames() []string {
	var list []string
	for _, f := range d.tree.files {
		variant, ok := variantOf(f)
		if !ok || isAside(path.Dir(f)) || slices.ContainsFunc(strings.FieldsFunc(variant, func(r rune) bool { return r == '.' || r == '-' || r == '_' }), func(w string) bool { return slices.Contains(outside, w) }) {
			continue
		}
		list = append(list, f)
	}
	return list
}

// variantOf returns the rest of a Dockerfile's name: windows of Dockerfile.Windows and
// windows.Dockerfile.
func variantOf(p string) (string, bool) {
	name := strings.ToLower(path.Base(p))
	switch {
	case name == "dockerfile" || name == "containerfile":
		return "", true
	case strings.HasSuffix(name, ".dockerfile"):
		return strings.TrimSuffix(name, ".dockerfile"), true
	case strings.HasPrefix(name, "dockerfile.") || strings.HasPrefix(name, "dockerfile-"):
		return name[len("dockerfile."):], true
	}
	return "", false
}

// isWindows reports whether all images of a Dockerfile are for Windows.
func (d *Draft) isWindows(name string) bool {
	if isWindows.MatchString(path.Base(name)) {
		return true
	}
	r := readDockerfile(name, d.tree.text(name))
	if r == nil {
		return false
	}
	linux, windows := r.targets()
	return linux == nil && len(windows) > 0
}

var osWords = regexp.MustCompile(`(?i)\b(?:windows|linux|win|amd64|multiarch)\b`)

// dockerfiles makes the images of the repository's Dockerfiles.
func (d *Draft) dockerfiles() {
	byImage := map[string]map[string]string{}
	for _, f := range d.dockerfileNames() {
		variant, _ := variantOf(f)
		os := platform.Linux
		if d.isWindows(f) {
			os = platform.Windows
		}
		variant = strings.Trim(osWords.ReplaceAllString(strings.ReplaceAll(variant, "windowshostprocess", "hostprocess"), ""), "._-")
		key := path.Dir(f) + "\n" + variant
		if byImage[key] == nil {
			byImage[key] = map[string]string{}
		}
		if other, ok := byImage[key][os]; ok {
			d.hand("%s looks like another %s for %s, which is the one that slipway.yaml has: write an image for it", f, other, os)
			continue
		}
		byImage[key][os] = f
	}
	for _, key := range sortedKeys(byImage) {
		dir, variant, _ := strings.Cut(key, "\n")
		d.dockerImage(dir, variant, byImage[key])
	}
}
