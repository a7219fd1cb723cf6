package run

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// GoBuild is a go build of a Dockerfile for one main package: a program that the caller compiles.
// What it says follows from the line, ARG and ENV alone.
type GoBuild struct {
	Name     string // of the file that it is compiled into, without .exe
	Dir      string // the directory with go.mod, on disk
	Package  string // "./cmd/controller", in Dir
	Platform platform.Platform
	Ldflags  string
	// Flags and Env go to the go command as they are; Tags are its build tags.
	Flags, Env, Tags []string
	At               string // where slipway.yaml has it; empty for one of the Dockerfile
}

// Compiler makes the programs of a Dockerfile. Check returns the errors that are certain before a
// program is compiled, and File the program.
type Compiler struct {
	Check func(GoBuild) error
	File  func(ctx context.Context, g GoBuild) (layer.Content, error)
}

// goFlags are the flags of go build with a value, and without one, that are known. Those that
// decide nothing about the program are dropped.
var (
	goValued = []string{
		"o", "p", "C", "ldflags", "tags", "gcflags", "asmflags", "mod", "buildmode",
		"installsuffix", "pgo", "covermode", "coverpkg",
	}
	goPlain   = []string{"a", "v", "x", "work", "trimpath", "buildvcs", "modcacherw", "json", "cover"}
	goDropped = []string{"a", "v", "x", "p", "work", "trimpath", "buildvcs", "modcacherw", "json", "installsuffix"}
)

// goLine is the words of one go build.
type goLine struct {
	GoBuild
	dir      string // of -C
	output   string // of -o
	packages []string
}

// parseGo reads the words after go build.
func parseGo(words []string) (goLine, error) {
	var l goLine
	for len(words) > 0 {
		w := words[0]
		words = words[1:]
		if !strings.HasPrefix(w, "-") || w == "-" {
			l.packages = append(append(l.packages, w), words...)
			break
		}
		name, value, given := strings.Cut(strings.TrimPrefix(w[1:], "-"), "=")
		valued := slices.Contains(goValued, name)
		switch {
		case !valued && !slices.Contains(goPlain, name):
			return l, mistake.At(w, "RUN go build: flag -%s is not supported: "+
				"declare the program under programs in slipway.yaml and use COPY --from=binaries", name)
		case valued && !given && len(words) == 0:
			return l, mistake.At(w, "RUN go build: flag -%s has no value", name)
		case valued && !given:
			value, words = words[0], words[1:]
		}
		switch {
		case slices.Contains(goDropped, name):
		case name == "o":
			l.output = value
		case name == "C":
			l.dir = value
		case name == "ldflags":
			l.Ldflags = oneLine(value)
		case name == "pgo" && value != "auto" && value != "off":
			return l, mistake.At(w, "RUN go build: -pgo=%s is a file, which is not supported: "+
				"name it default.pgo, in the directory of the package", value)
		case name == "tags":
			l.Tags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' })
		case valued || given:
			l.Flags = append(l.Flags, "-"+name+"="+value)
		default:
			l.Flags = append(l.Flags, "-"+name)
		}
	}
	if len(l.packages) == 0 {
		l.packages = []string{"."}
	}
	return l, nil
}

// oneLine joins the flags of -ldflags by one blank, as the go command splits them: a flag that
// begins with a quote ends with it.
func oneLine(flags string) string {
	var words []string
	for flags = strings.TrimSpace(flags); flags != ""; flags = strings.TrimSpace(flags) {
		end := strings.IndexFunc(flags, unicode.IsSpace)
		if quote := flags[0]; quote == '"' || quote == '\'' {
			if end = strings.IndexByte(flags[1:], quote); end >= 0 {
				end += len(`""`)
			}
		}
		if end < 0 {
			end = len(flags)
		}
		words, flags = append(words, flags[:end]), flags[end:]
	}
	return strings.Join(words, " ")
}

// environment takes over what the variables of the line say, on a machine of platform p.
func (g *GoBuild) environment(get func(string) (string, bool), p platform.Platform) error {
	set := func(name, or string) string {
		if v, ok := get(name); ok && v != "" {
			return v
		}
		return or
	}
	if v := set("CGO_ENABLED", "0"); v != "0" {
		return mistake.At("CGO_ENABLED", "RUN go build: CGO_ENABLED=%s needs a C compiler: declare "+
			"the program under programs in slipway.yaml, with its compiler in env, and use COPY --from=binaries", v)
	}
	if v := set("GO111MODULE", "on"); v == "off" {
		return mistake.At("GO111MODULE", "RUN go build: GO111MODULE=off is not supported: the program needs a go.mod")
	}
	if v := set("GOTOOLCHAIN", ""); strings.HasPrefix(v, "go") {
		return mistake.At("GOTOOLCHAIN", "RUN go build: GOTOOLCHAIN=%s is not supported, since the Go that Slipway "+
			"itself uses compiles the program: export GOTOOLCHAIN for Slipway, and leave it out here", v)
	}
	g.Platform = platform.Platform{OS: set("GOOS", p.OS), Architecture: set("GOARCH", p.Architecture)}
	if g.Platform.Architecture == "arm" {
		v := set("GOARM", "7")
		if p.Architecture == "arm" && p.Variant != "" {
			v = set("GOARM", strings.TrimPrefix(p.Variant, "v"))
		}
		v, _, _ = strings.Cut(v, ",")
		g.Platform.Variant = "v" + v
	}
	for _, v := range GoVariables {
		if value := set(v.Name, ""); value != "" && v.passed() {
			g.Env = append(g.Env, v.Name+"="+value)
		}
	}
	return g.fromGoFlags(set("GOFLAGS", ""))
}

// fromGoFlags takes over the flags of GOFLAGS, before those of the line.
func (g *GoBuild) fromGoFlags(value string) error {
	l, err := parseGo(strings.Fields(value))
	if err != nil || l.output != "" || l.dir != "" || l.packages[0] != "." {
		return mistake.At("GOFLAGS", "RUN go build: GOFLAGS=%s is not supported: write the flags in the line", value)
	}
	g.Flags = append(l.Flags, g.Flags...)
	if g.Ldflags == "" {
		g.Ldflags = l.Ldflags
	}
	if g.Tags == nil {
		g.Tags = l.Tags
	}
	return nil
}

var majorVersion = lazyregexp.New(`^v([2-9]|[1-9][0-9]+)$`)

// programName is the name that the go command gives a program: the last element of its package's
// path, or the one before a major version.
func programName(module, pkg string) string {
	full := path.Join(module, pkg)
	if base := path.Base(full); majorVersion.MatchString(base) && base != full {
		return path.Base(path.Dir(full))
	}
	return path.Base(full)
}
