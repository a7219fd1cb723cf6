package program_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// TestCompilerVersion checks that the version of a C compiler is an input of a program: the store
// has it from one version and not from another.
func TestCompilerVersion(t *testing.T) {
	cc := filepath.Join(t.TempDir(), "cc")
	says := func(version string) {
		if err := os.WriteFile(cc, []byte("#!/bin/sh\necho \"cc "+version+"\"\necho 'no warranty'\n"),
			0o755); err != nil {
			t.Fatal(err)
		}
	}
	says("1")
	tree := write(t, module)
	tree.Fixed, tree.Source.Sum = true, "h1:one"
	st := storetest.Open(t)
	// Its package does not import C, so that nothing is compiled by it.
	list := []program.Program{declare(t,
		product.Program{Name: "a", Package: "./cmd/a", CC: map[string]string{"linux": cc + " -O2"}}, tree, linux)}
	compile(t, st, list)
	look(t, st, list, program.Kept)
	got, err := program.Compilers(t.Context(), append(list, list...))
	if want := (program.Compiler{Platform: linux, Command: cc + " -O2", Version: "cc 1"}); err != nil ||
		len(got) != 1 || got[0] != want {
		t.Errorf("%+v, %v", got, err)
	}
	says("2")
	look(t, st, list, program.Compile)
	if plain, err := program.Compilers(t.Context(),
		[]program.Program{declare(t, product.Program{Name: "a", Package: "./cmd/a"}, tree, linux)}); err != nil ||
		plain != nil {
		t.Errorf("without CGO: %+v, %v", plain, err)
	}
}

func TestMissingCompiler(t *testing.T) {
	tree := write(t, module)
	riscv := platform.Platform{OS: "linux", Architecture: "riscv64"}
	for _, tc := range []struct {
		on      platform.Platform
		env, cc string
		want    string // the end of the error; "" for none
	}{
		{
			riscv, "CGO_ENABLED=1",
			"", "no C compiler is named for linux/riscv64: name one under cc, such as riscv64-linux-gnu-gcc",
		},
		{
			platform.Platform{OS: "linux", Architecture: "loong64"},
			"CGO_ENABLED=1",
			"", "no C compiler is named for linux/loong64: name one under cc",
		},
		{riscv, "CGO_ENABLED=0", "", ""},
		{
			riscv, "A=b", "s390x-linux-gnu-g++ -O2",
			"the C compiler s390x-linux-gnu-g++ is not installed, which CGO needs for linux/riscv64: install it (Debian: " +
				"apt-get install g++-s390x-linux-gnu), or name another under cc",
		},
		{riscv, "A=b", "no-such-compiler", "the C compiler no-such-compiler is not installed, " +
			"which CGO needs for linux/riscv64: install it, or name another under cc"},
	} {
		p := product.Program{Name: "a", Package: "./cmd/a", GoFlags: product.GoFlags{Env: []string{tc.env}}}
		if tc.cc != "" {
			p.CC = map[string]string{tc.on.String(): tc.cc}
		}
		err := declare(t, p, tree, tc.on).Check()
		if (err == nil) != (tc.want == "") || err != nil && !strings.HasSuffix(err.Error(), tc.want) {
			t.Errorf("%s %s: %v", tc.env, tc.cc, err)
		}
	}
}
