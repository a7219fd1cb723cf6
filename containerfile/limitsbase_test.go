package containerfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

// TestLimitsOfBases: the files of a base are not what a Dockerfile writes, and what it copies out
// of one is.
func TestLimitsOfBases(t *testing.T) {
	var base strings.Builder
	base.WriteString("layer\ndir 755 0:0 zone\n")
	for n := range 300 {
		fmt.Fprintf(&base, "file 644 0:0 zone/%d \"zone\"\n", n)
	}
	const many = "this makes more than 100 files in all"
	for _, tc := range []struct{ name, source, want string }{
		{"file", "FROM base\nCOPY a /\n", ""},
		{"among others", "FROM base\nCOPY a /zone/a\nRUN rm /zone/7 && mv /zone/8 /zone/b\n", ""},
		{"stage", "FROM base AS b\nCOPY a /\nFROM b\nCOPY --from=b /a /b\nRUN chmod 600 /b\n", ""},
		{"removed", "FROM base\nRUN rm -r /zone\n", ""},
		{"copied", "FROM scratch\nCOPY --from=base / /\n", many},
		{"in it", "FROM base\nRUN cp -r /zone /more\n", many},
		{"changed", "FROM base\nRUN chmod -R 700 /zone\n", many},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := dockerfiletest.Load(t,
				&txtar.Archive{Files: []txtar.File{{Name: "images/base", Data: []byte(base.String())}}})
			in := c.Input
			in.Platform, in.Source, in.Limits = platform.Platform{OS: "linux", Architecture: "amd64"},
				[]byte(tc.source), containerfile.Limits{Files: 100}
			must(t, os.WriteFile(filepath.Join(in.Context, "a"), []byte("a"), 0o644))
			_, err := containerfile.Build(t.Context(), in)
			if tc.want == "" {
				must(t, err)
			} else if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %s", err, tc.want)
			}
		})
	}
}
