package run

import (
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// idle are the commands of go that only fetch, print or test.
var idle = []string{"mod", "version", "vet", "list", "test", "fmt", "clean", "help", "telemetry"}

func checkGo(_ options, args []string) error {
	switch verb := args[0]; {
	case slices.Contains(idle, verb):
		return nil
	case verb == "env",
		verb == "get" && len(args) > 1 && args[1] == "-d" && !strings.Contains(strings.Join(args, " "), "@"):
		return nil
	case verb == "build" || verb == "install":
		_, err := parseGo(args[1:])
		return err
	default:
		return mistake.At(verb,
			"RUN go %s is not supported, since no command is run: do it in the source, before the release", verb)
	}
}

// runGo is the go command: go build and go install make programs, and what leaves nothing that an
// image could have is passed over.
func runGo(r *runner, _ options, args []string) {
	switch verb, args := args[0], args[1:]; {
	case verb == "env" && len(args) > 0 && (args[0] == "-w" || args[0] == "-u"):
		r.goEnv(args)
	case verb == "build" || verb == "install":
		r.goBuild(args, verb == "install")
	case verb == "test":
		if slices.ContainsFunc(args, func(a string) bool {
			return a == "-c" || a == "-o" || strings.Contains(a, "profile")
		}) {
			r.skip(nil)
		}
	case verb == "mod" && len(args) > 0 && args[0] == "vendor":
		r.s.AddSkip(&Skip{At: r.location, Text: "go mod vendor", paths: []string{path.Join(r.dir, "vendor")}})
	}
}

// xxGo is the go of https://github.com/tonistiigi/xx, which compiles for the platform of the image.
func xxGo(r *runner, o options, args []string) {
	c := &r.commands[r.current]
	p := r.eval.Platform
	c.Env = append(slices.Clone(c.Env), "GOOS="+p.OS, "GOARCH="+p.Architecture)
	if p.Architecture == "arm" {
		c.Env = append(c.Env, "GOARM="+strings.TrimPrefix(p.Variant, "v"))
	}
	runGo(r, o, args)
}

// variable returns a variable of the current command.
func (r *runner) variable(name string) (string, bool) {
	for _, kv := range slices.Backward(r.command().Env) {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v, true
		}
	}
	return r.s.Env.Get(name)
}

// goBuild puts the programs of a go build where the line says.
func (r *runner) goBuild(words []string, install bool) {
	l := must(parseGo(words))
	if install && len(l.packages) == 1 && strings.Contains(l.packages[0], "@") {
		r.skip(nil) // a tool for the lines that follow
		return
	}
	if err := l.environment(r.goVariable, r.s.System); err != nil {
		check(refused{err})
	}
	from := path.Clean(r.dir)
	if l.dir != "" {
		from = r.existing(l.dir, true).p
	}
	m := r.module(from)
	r.unchanged(m)
	m.same(r.t)
	var packages []string
	for _, w := range l.packages {
		some := m.packages(r.t, from, w, l.packages)
		if !strings.HasSuffix(w, ".go") || !slices.Contains(packages, some[0]) { // of files, one package
			packages = append(packages, some...)
		}
	}
	r.complete(m, &l, packages)
	r.goPrograms(l, m, from, packages, install)
}

// unchanged refuses a module whose files a line that was passed over may have changed.
func (r *runner) unchanged(m goModule) {
	for _, k := range r.s.Skipped {
		in := slices.ContainsFunc(k.paths, func(p string) bool { return tree.Within(p, m.at) || tree.Within(m.at, p) })
		if in && k.changes && k.anywhere && (k.Refusal != nil || k.Because != nil) {
			fail("%s in line %d, which may change the source, is not run", k.Text, mistake.Line(k.At))
		}
	}
}

// goPrograms puts a program for each package into the tree.
func (r *runner) goPrograms(l goLine, m goModule, from string, packages []string, install bool) {
	exe := ""
	if l.Platform.OS == platform.Windows {
		exe = ".exe"
	}
	for _, pkg := range packages {
		g := l.GoBuild
		g.Dir, g.Package, g.Name = m.dir, pkg, programName(m.path, pkg)
		if strings.HasSuffix(l.packages[0], ".go") && l.output == "" {
			g.Name = strings.TrimSuffix(path.Base(l.packages[0]), ".go")
		}
		out := path.Join(from, g.Name+exe)
		switch {
		case install:
			out = path.Join(r.goBin(r.goVariable, l.Platform), g.Name+exe)
		case l.output != "":
			if out = l.output; !path.IsAbs(tree.Slashed(out)) {
				out = from + "/" + out
			}
			switch to := r.find(out, true); {
			case to.slash || to.is(layer.Dir):
				out = path.Join(to.p, g.Name+exe)
			case len(packages) > 1:
				failAt(l.output, "RUN go build: -o %s is one file, and there are %d packages: "+
					"write a directory, with a slash after it", l.output, len(packages))
			default:
				g.Name = strings.TrimSuffix(path.Base(to.p), ".exe")
			}
		case len(packages) > 1:
			continue // go build writes none of several
		}
		r.program(out, g)
	}
}

// goBin is where go install puts programs.
func (r *runner) goBin(get func(string) (string, bool), on platform.Platform) string {
	if dir, ok := get("GOBIN"); ok && dir != "" {
		return dir
	}
	dir, ok := get("GOPATH")
	if !ok || dir == "" {
		dir = "/go"
	}
	if dir += "/bin"; on.OS != r.s.System.OS || on.Architecture != r.s.System.Architecture {
		dir += "/" + on.OS + "_" + on.Architecture
	}
	return dir
}

// program puts a program that is compiled later at a path.
func (r *runner) program(out string, g GoBuild) {
	if r.eval.Compiler.Check == nil {
		fail("no programs are compiled here: declare them in slipway.yaml and use COPY --from=binaries")
	}
	check(r.eval.Compiler.Check(g))
	s := r.find(out, true)
	r.parents(path.Dir(s.p), 0o755)
	r.set(s.p, &tree.Node{Kind: layer.Regular, Mode: 0o755, Made: &g, Content: func() (layer.Content, error) {
		return r.eval.Compiler.File(r.ctx, g)
	}})
}

// compiled reports whether a file is a program of a go build.
func compiled(n *tree.Node) bool {
	_, ok := n.Made.(*GoBuild)
	return ok
}

// isMain reports whether a directory has a main package, and no other.
func isMain(dir string) bool {
	some := false
	for _, e := range must(os.ReadDir(dir)) {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.PackageClauseOnly)
		if err == nil && f.Name.Name != "main" {
			return false
		}
		some = true
	}
	return some
}
