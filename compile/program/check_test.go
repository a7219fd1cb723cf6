package program_test

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/compile/program"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// checked is a source with packages of every kind.
const checked = `
-- main/main.go --
package main
-- main/gen.go --
//go:build ignore

package gen
-- lib/lib.go --
package lib
-- tests/main_test.go --
package main
-- unix/main_linux.go --
package main
-- tagged/main.go --
//go:build special

package main
-- newest/main.go --
//go:build go1.90

package main
-- broken/main.go --
pakage main
-- cgo/main.go --
package main

import "C"
-- docs/read.me --
`

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	if err := txtar.Write(txtar.Parse([]byte(checked)), dir); err != nil {
		t.Fatal(err)
	}
	linux, windows := platform.Platform{OS: "linux", Architecture: "amd64"},
		platform.Platform{OS: "windows", Architecture: "amd64"}
	for _, tc := range []struct {
		pkg  string
		on   platform.Platform
		tags string
		want string // in the error; "" for none
	}{
		{"./main", linux, "", ""},
		{"./main", windows, "", ""},
		{"./lib", linux, "", "lib.go is package lib, not main: name the directory of a command"},
		{"./tests", linux, "", "program p: directory ./tests of source s has no Go files"},
		{"./docs", linux, "", "directory ./docs of source s has no Go files"},
		{"./none", linux, "", "source s has no package ./none: correct package"},
		{"./unix", linux, "", ""},
		{"./unix", windows, "", "package ./unix of source s has no Go files for windows/amd64: " +
			"name the operating systems that it is for under os"},
		{"./tagged", linux, "", "has no Go files for linux/amd64"},
		{"./tagged", linux, "-tags=special", ""},
		{"./newest", linux, "", ""}, // the go command may be newer than this one
		{"./broken", linux, "", ""}, // the compiler reports the cause
		{"./cgo", linux, "", ""},    // as above
	} {
		p := program.Program{
			Name: "p", Package: tc.pkg, Platform: tc.on,
			Tree: source.Tree{Dir: dir, Source: product.Source{Name: "s"}},
		}
		if tc.tags != "" {
			p.Flags = []string{tc.tags}
		}
		switch err := p.Check(); {
		case err == nil && tc.want != "":
			t.Errorf("%s for %s: no error, want %q", tc.pkg, tc.on, tc.want)
		case err != nil && (tc.want == "" || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s for %s: %v, want %q", tc.pkg, tc.on, err, tc.want)
		}
	}
}
