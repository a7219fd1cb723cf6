package program

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// IsCGO reports whether the program is compiled with CGO.
func (p Program) IsCGO() bool { return p.variable("CGO_ENABLED") == "1" }

// variable returns the value of a variable of the go command; the last counts.
func (p Program) variable(name string) string {
	for _, kv := range slices.Backward(p.Env) {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			return v
		}
	}
	return ""
}

// compilers are the commands that CGO runs; none without CGO.
func (p Program) compilers() []string {
	if !p.IsCGO() {
		return nil
	}
	all := []string{cmp.Or(p.variable("CC"), "gcc")}
	if cxx := p.variable("CXX"); cxx != "" {
		all = append(all, cxx)
	}
	return all
}

// checkCompiler reports a C compiler that nothing names, or that is not installed.
func (p Program) checkCompiler() error {
	native := p.Platform.OS == runtime.GOOS && p.Platform.Architecture == runtime.GOARCH
	if p.IsCGO() && !native && p.variable("CC") == "" {
		return fmt.Errorf("it is compiled with CGO, and no C compiler is named for %s: name one under cc%s",
			p.Platform.System(), suggested(p.Platform))
	}
	for _, command := range p.compilers() {
		if err := find(command); err != nil {
			return fmt.Errorf("%w, which CGO needs for %s: install it%s, or name another under cc",
				err, p.Platform.System(), debian(command))
		}
	}
	return nil
}

// word returns the program of a command, which may have arguments: zig cc.
func word(command string) string {
	if fields := strings.Fields(command); len(fields) > 0 {
		return fields[0]
	}
	return command
}

func find(command string) error {
	_, err := exec.LookPath(word(command))
	switch {
	case errors.Is(err, exec.ErrDot):
		return fmt.Errorf("the C compiler %s is in the current directory, where nothing is run from", word(command))
	case err != nil:
		return fmt.Errorf("the C compiler %s is not installed", word(command))
	}
	return nil
}

// triples are the names by which Debian's cross compilers begin.
var triples = map[string]string{
	"linux/386": "i686-linux-gnu", "linux/amd64": "x86_64-linux-gnu", "linux/arm": "arm-linux-gnueabihf",
	"linux/arm64":   "aarch64-linux-gnu",
	"linux/ppc64le": "powerpc64le-linux-gnu", "linux/riscv64": "riscv64-linux-gnu", "linux/s390x": "s390x-linux-gnu",
	"windows/386": "i686-w64-mingw32", "windows/amd64": "x86_64-w64-mingw32",
}

// suggested is the compiler that Debian has for a platform, as a remedy.
func suggested(on platform.Platform) string {
	if t := triples[on.OS+"/"+on.Architecture]; t != "" {
		return ", such as " + t + "-gcc"
	}
	return ""
}

// debian is the package of Debian that has a compiler, as a remedy.
func debian(command string) string {
	name := filepath.Base(word(command))
	triple, tool := "", name
	for _, t := range triples {
		if rest, ok := strings.CutPrefix(name, t+"-"); ok {
			triple, tool = t, rest
		}
	}
	known := map[string]string{
		"gcc": "gcc", "g++": "g++", "clang": "clang", "musl-gcc": "musl-tools",
		"clang++": "clang",
	}[tool]
	switch arch, windows := strings.CutSuffix(triple, "-w64-mingw32"); {
	case known == "":
		return ""
	case windows:
		known += "-mingw-w64-" + arch
	case triple != "":
		known += "-" + triple
	}
	return " (Debian: apt-get install " + strings.ReplaceAll(known, "_", "-") + ")"
}
