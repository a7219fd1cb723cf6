package run

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// goRoots are where the images of golang and the packages of distributions have Go.
var goRoots = []string{"/usr/local/go", "/usr/lib/go", "/usr/lib/golang", "/Program Files/Go"}

// goEnvFile is the file that go env -w writes for root.
const goEnvFile = "/root/.config/go/env"

// goVariable returns a variable as the go command reads it: of the environment, of the file that
// go env -w writes, or of the go.env of its own.
func (r *runner) goVariable(name string) (string, bool) {
	if v, ok := r.variable(name); ok && v != "" {
		return v, true
	}
	user := r.goEnvFile()
	if v, ok := settings(r.readSettings(user, path.Dir(user)))[name]; ok {
		return v, true
	}
	roots := goRoots
	if root, _ := r.variable("GOROOT"); root != "" {
		roots = []string{root}
	}
	for _, root := range roots {
		if v, ok := settings(r.readSettings(path.Join(root, "go.env"), ""))[name]; ok {
			return v, true
		}
	}
	return "", false
}

// goEnvFile returns the file that go env -w writes, "" for none. See os.UserConfigDir.
func (r *runner) goEnvFile() string {
	if file, _ := r.variable("GOENV"); file == "off" {
		return ""
	} else if file != "" {
		return file
	}
	config, _ := r.variable("XDG_CONFIG_HOME")
	home, ok := r.variable("HOME")
	switch {
	case r.s.Windows():
		if config, ok = r.variable("APPDATA"); !ok {
			config = "/Users/ContainerAdministrator/AppData/Roaming"
		}
	case config != "" && !path.IsAbs(config):
		return ""
	case config != "":
	case !ok:
		return goEnvFile
	case home != "":
		config = path.Join(home, ".config")
	}
	if config == "" {
		return ""
	}
	return path.Join(tree.Slashed(config), "go/env")
}

// readSettings returns the text of a file of settings, "" where none is. A line that was not
// carried out, and may have written it or its directory, is an error.
func (r *runner) readSettings(name, dir string) string {
	if name == "" {
		return ""
	}
	p := r.follow(r.absolute(name))
	if slices.ContainsFunc(slices.Concat(transient, r.volatile), func(m string) bool { return tree.Within(p, m) }) {
		return ""
	}
	n := r.lstat(p)
	for i, k := range r.s.Skipped {
		if i >= r.t.Since[p] && (slices.Contains(k.paths, p) || slices.Contains(k.paths, dir)) {
			fail("%s in line %d, which may write %s, is not run, and go reads its settings from there: "+
				"write them in the line, or by ENV", k.Text, mistake.Line(k.At), p)
		}
	}
	if n == nil || n.Kind != layer.Regular {
		return ""
	}
	return r.readText(name)
}

// settings reads a file of settings as the go command does.
func settings(text string) map[string]string {
	all := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if k, v, ok := strings.Cut(line, "="); ok && k != "" && 'A' <= k[0] && k[0] <= 'Z' {
			all[k] = v
		}
	}
	return all
}

// goEnv is go env -w and go env -u, which change the file of settings.
func (r *runner) goEnv(args []string) {
	name := r.goEnvFile()
	if name == "" {
		fail("go env %s has no file to write: set the variables by ENV", args[0])
	}
	var lines []string
	for line := range strings.Lines(ended(r.readSettings(name, path.Dir(name)))) {
		k, _, _ := strings.Cut(line, "=")
		if !slices.ContainsFunc(args[1:], func(a string) bool { set, _, _ := strings.Cut(a, "="); return set == k }) {
			lines = append(lines, line)
		}
	}
	for _, a := range args[1:] {
		if args[0] == "-w" && strings.Contains(a, "=") {
			lines = append(lines, a+"\n")
		}
	}
	s := r.target(name)
	r.parents(path.Dir(s.p), 0o755)
	r.make(s.p, file(0o644, []byte(strings.Join(lines, ""))))
}

// GoVariable is a variable that decides about a program. What else begins with GO is about the
// machine of the build.
type GoVariable struct {
	Name string
	on   []string // the architectures that it is for, nil for all
	or   string   // its value where nothing sets it
}

// GoVariables are all of them, but for GOFLAGS, and GOOS and GOARCH, which are the platform's.
var GoVariables = []GoVariable{
	{"CGO_ENABLED", nil, "0"},
	{"GO386", []string{"386"}, "sse2"},
	{"GOAMD64", []string{"amd64"}, "v1"},
	{"GOARM", []string{"arm"}, "7"},
	{"GOARM64", []string{"arm64"}, "v8.0"},
	{"GOEXPERIMENT", nil, ""},
	{"GOFIPS140", nil, "off"},
	{"GOPPC64", []string{"ppc64", "ppc64le"}, "power8"},
	{"GORISCV64", []string{"riscv64"}, "rva20u64"},
}

// For reports whether the variable counts on an architecture.
func (v GoVariable) For(arch string) bool { return v.on == nil || slices.Contains(v.on, arch) }

// passed reports whether the compiler gets the variable as it is. The platform has GOARM.
func (v GoVariable) passed() bool { return v.Name != "CGO_ENABLED" && v.Name != "GOARM" }

// Setting returns the value that a variable has for the program.
func (g *GoBuild) Setting(v GoVariable) string {
	for _, kv := range slices.Backward(g.Env) {
		if name, value, _ := strings.Cut(kv, "="); name == v.Name {
			return value
		}
	}
	if kv := g.Platform.GoVariant(); strings.HasPrefix(kv, v.Name+"=") {
		return strings.TrimPrefix(kv, v.Name+"=")
	}
	return v.or
}

// GoFlag returns the name of a flag, empty for another word, and whether its value is in the word.
func GoFlag(word string) (name string, given bool) {
	if !strings.HasPrefix(word, "-") {
		return "", false
	}
	name, _, given = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(word, "-"), "-"), "=")
	return name, given
}

// GoValued reports whether a flag of go build takes a value, also one that is not compiled here.
func GoValued(name string) bool {
	return slices.Contains(goValued, name) ||
		slices.Contains([]string{"modfile", "overlay", "pkgdir", "toolexec", "compiler", "gccgoflags"}, name)
}

// GoOutput returns the value of -o in the words after go build, and the packages.
func GoOutput(words []string) (output string, packages []string) {
	for n := 0; n < len(words); n++ {
		name, value, given := strings.Cut(strings.TrimLeft(words[n], "-"), "=")
		if !strings.HasPrefix(words[n], "-") {
			return output, words[n:]
		}
		if !given && GoValued(name) && n+1 < len(words) {
			n++
			value = words[n]
		}
		if name == "o" {
			output = cmp.Or(value, output)
		}
	}
	return output, []string{"."}
}
