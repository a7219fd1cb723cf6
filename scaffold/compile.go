package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/scaffold/makefile"
	"github.com/slipway-dev/slipway/scaffold/shell"
)

var (
	ldflagsName = lazyregexp.New(`(?i)ld_?flags`)
	// setting is -X of the linker. The value ends with the word, the quotes or the line; $(…) is
	// part of it, whatever is within.
	setting = lazyregexp.New(
		`-X[ =]+['"]?([A-Za-z0-9_./~$(){}-]+)\.([A-Za-z_][A-Za-z0-9_]*)=("[^"]*"|'[^']*'|(?:\$\([^)]*(?:\([^)]*\)[^)]*)*\)|\$?\{\{?[^}]*\}\}?|[^\s'"$])*)`)
	// goCommand is go, also by a variable.
	goCommand = lazyregexp.New(`^(?:go|\$[({]?GO\w*[)}]?)$`)
	// installsCompiler matches what installs a C compiler.
	installsCompiler = lazyregexp.New(
		`\b(?:apk|apt|apt-get|dnf|yum|microdnf|tdnf|zypper)\b[^;|]*\s(?:gcc|g\+\+|musl-dev|build-base|build-essential|clang)\b`)
	setsEnv = lazyregexp.New(`\b(CGO_ENABLED|GOFIPS140|GOEXPERIMENT|GOAMD64)=["']?([A-Za-z0-9_.,]+)`)
)

// makeCompiles takes what Makefiles give the compiler.
func (d *Draft) makeCompiles() {
	if d.make.Value("CGO_ENABLED") == "1" {
		d.withCgo = lineOf(d.make.At["CGO_ENABLED"])
	}
	d.make.Keep = versionArgument.MatchString // what a developer's default would freeze
	defer func() { d.make.Keep = nil }()
	for _, name := range sortedKeys(d.make.Values) {
		if ldflagsName.MatchString(name) {
			d.ldflags(d.make.Expand(d.make.Values[name]), lineOf(d.make.At[name]))
		}
	}
	for _, r := range d.make.Recipes {
		if text := d.make.Expand(r.Text); strings.Contains(text, "build") {
			d.compiles(text, lineOf(r.At))
		}
	}
}

// scriptCompiles takes what scripts give the compiler, and their variables.
func (d *Draft) scriptCompiles() {
	for _, f := range d.publishers.scripts {
		text := string(d.tree.text(f))
		if !buildsGo.MatchString(text) || isWorkflow(f) {
			continue
		}
		for _, c := range shell.Calls(text, d.ciValues()) {
			d.compile(c, place{f, c.Line})
		}
		for n, line := range makefile.Lines(text) {
			if strings.Contains(line, "-X ") {
				d.ldflags(line, place{f, n})
			}
		}
	}
}

// compilers takes what a stage gives the compiler.
func (p *part) compilers(s *stage) {
	args := arguments{}
	compiler, without := place{}, false
	for _, c := range s.commands {
		switch now := c.Command.(type) {
		case *instructions.ArgCommand:
			p.from.define(now, args)
		case *instructions.RunCommand:
			line := strings.Join(now.CmdLine, " ")
			for _, k := range args.Keys() {
				line = strings.NewReplacer("${"+k+"}", args[k], "$"+k, args[k]).Replace(line)
			}
			at := place{p.from.path, c.node.StartLine}
			if !p.d.compiles(line, at) && runsBuild.MatchString(line) {
				p.d.unread = append(p.d.unread, at)
			}
		}
		if installsCompiler.MatchString(c.node.Original) {
			compiler = place{p.from.path, c.node.StartLine}
		}
		without = without || strings.Contains(c.node.Original, "CGO_ENABLED")
	}
	if compiler.file != "" && !without && p.d.withCgo.file == "" {
		p.d.withCgo = compiler // the go command uses a compiler that is there
	}
}

// runsBuild matches a command that compiles, perhaps, and that says nothing of how.
var runsBuild = lazyregexp.New(`\bmake\b|\bmage\b|\btask\b|\bjust\b|build`)

// compiles takes the compiler's arguments from a text of a shell: settings, and of each go build
// the flags and the name of its program. found reports whether the text has a go build.
func (d *Draft) compiles(text string, at place) (found bool) {
	for _, c := range shell.Calls(strings.TrimLeft(text, "@-+ "), nil) {
		if d.compile(c, at) {
			found = true
			d.environment(text, at)
		}
	}
	return found
}

// compile takes in a command, if it is go build or go install.
func (d *Draft) compile(c shell.Call, at place) bool {
	for n, w := range c.Words[:len(c.Words)-1] {
		if next := c.Words[n+1]; goCommand.MatchString(w) && (next == "build" || next == "install") {
			d.goBuild(c.Words[n+2:], c.Dir, at)
			return true
		}
	}
	return false
}

// environment takes what a command line sets for the go command.
func (d *Draft) environment(line string, at place) {
	for _, m := range setsEnv.FindAllStringSubmatch(line, -1) {
		switch now := m[1] + "=" + m[2]; {
		case now == "CGO_ENABLED=1" && d.withCgo.file == "":
			d.withCgo = at
		case m[1] != "CGO_ENABLED":
			d.addFlag("env", now, at)
		}
	}
}

// goValued are the flags of go build whose value is the next word.
var goValued = []string{"o", "tags", "ldflags", "gcflags", "asmflags", "mod", "p", "C", "buildmode"}

// perhaps matches a value that a condition or a command gives, and not only whoever runs make.
var perhaps = lazyregexp.New(`\+=\)|\$\((?:shell|if|workflow)\b`)

// leaveOthers says which flags of go build a source does not have.
func (d *Draft) leaveOthers(flags map[string]string, at place) {
	for _, flag := range []string{"race", "msan", "asan", "gcflags", "asmflags", "buildmode", "pgo"} {
		if value, ok := flags[flag]; ok && d.compileRank(at) == publishes {
			d.leave("flags of the compiler that no source has", "-%s (%s)", strings.TrimSuffix(flag+"="+value, "="), at)
		}
	}
}

// goBuild takes in the words after go build, in a directory of the module: tags, flags of the
// linker, and how the program of a main package is called.
func (d *Draft) goBuild(words []string, dir string, at place) {
	name, pkg := "", "."
	flags := map[string]string{}
	for i := 0; i < len(words); i++ {
		flag, value, has := strings.Cut(words[i], "=")
		if !strings.HasPrefix(flag, "-") {
			if !strings.HasPrefix(flag, "$") || strings.Contains(flag, "/") {
				pkg = words[i]
			}
			continue
		}
		flag = strings.TrimLeft(flag, "-")
		if !has && slices.Contains(goValued, flag) && i+1 < len(words) {
			i++
			value = words[i]
		}
		flags[flag] = value
	}
	if strings.HasPrefix(flags["buildmode"], "c-") || flags["buildmode"] == "plugin" {
		return // not a program
	}
	d.leaveOthers(flags, at)
	if out := flags["o"]; !strings.HasSuffix(out, "/") && out != "" {
		name = strings.TrimSuffix(path.Base(out), ".exe")
	}
	if i := strings.LastIndexAny(pkg, ")}"); i >= 0 {
		pkg = strings.TrimPrefix(pkg[i+1:], "/") // below a directory that is not known
	}
	pkg = strings.TrimPrefix(strings.TrimSuffix(pkg, "/..."), d.source.module+"/")
	if path.Ext(pkg) == ".go" || path.Base(pkg) == "*" {
		pkg = path.Dir(pkg)
	}
	pkg = path.Join(dir, pkg)
	m, ok := d.mainIn(pkg)
	if !ok && pkg != "." && d.tree.hasDir(path.Join(d.source.dir, pkg)) {
		return // it is of tests, or of tools
	}
	if ok {
		d.compiled = m.dir
	}
	before := len(d.flags)
	d.ldflags(flags["ldflags"], at)
	for _, tag := range splitList(flags["tags"]) {
		if !shell.Unknown(tag) || perhaps.MatchString(tag) || slices.Contains(d.files, at.file) {
			d.addFlag("tags", tag, at)
		}
	}
	if ok && len(d.flags) == before {
		d.addFlag(plain, "", at)
	}
	d.compiled = ""
	if !ok {
		return
	}
	if name == "" || strings.ContainsAny(name, "$(){}*") {
		name = m.name
	}
	d.outputs[name] = m.dir
}
