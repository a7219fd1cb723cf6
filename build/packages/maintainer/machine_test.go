package maintainer_test

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Nothing here can reach the machine that it runs on: the packages import nothing that could, but
// for the layers that contents come from.
func TestNoMachine(t *testing.T) {
	for _, dir := range []string{".", "shell"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) < 10 {
			t.Fatalf("%d files in %s: %v", len(files), dir, err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range f.Imports {
				p, _ := strconv.Unquote(i.Path.Value)
				switch p {
				case "os", "os/exec", "os/user", "net", "net/http", "syscall", "golang.org/x/sys/unix", "math/rand",
					"math/rand/v2", "crypto/rand", "mvdan.cc/sh/v3/interp", "log", "unsafe", "plugin", "runtime":
					t.Errorf("%s imports %s, which can reach the machine", name, p)
				}
			}
		}
	}
}
