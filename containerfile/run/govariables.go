package run

import (
	"cmp"
	"slices"
	"strings"
)

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
