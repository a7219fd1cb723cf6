package containerfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// TestGoBuildLinks checks that a program is compiled of a source with symbolic links, as long as
// the stage has them as the disk does.
func TestGoBuildLinks(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{"RUN go build -o /out/x", ""},
		{"RUN go build -o /out/x ./cmd/a", ""},
		{"RUN ln -sf main.go CLAUDE.md && go build -o /out/x", "/src/CLAUDE.md is not the file"},
		{"RUN rm CLAUDE.md && go build -o /out/x", ""},
		{"RUN ln -s main.go new.go && go build -o /out/x", "/src/new.go is not the file"},
		{"RUN rm cmd/a/linked.go && go build -o /out/x ./cmd/a", "/src/cmd/a/linked.go is not in the stage"},
		{"RUN rm main.go && ln -s cmd/a/main.go main.go && go build -o /out/x", "/src/main.go is not the file"},
	} {
		in := dockerfiletest.Load(t, txtar.Parse([]byte("-- Dockerfile --\nFROM golang AS b\nWORKDIR /src\nCOPY . .\n"+
			c.line+"\nFROM scratch\nCOPY --from=b /out /\n"+goSource+"-- context/AGENTS.md --\n"))).Input
		for name, to := range map[string]string{
			"CLAUDE.md": "AGENTS.md", "nowhere": "missing", "cmd/a/linked.go": "../b/main.go", "directory": "cmd/a",
		} {
			must(t, os.Symlink(to, filepath.Join(in.Context, name)))
		}
		in.Platform = platform.Platform{OS: "linux", Architecture: "amd64"}
		in.Compiler.Check = func(containerfile.GoBuild) error { return nil }
		_, err := check(t, in)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %s", c.line, err, c.want)
		}
	}
}
