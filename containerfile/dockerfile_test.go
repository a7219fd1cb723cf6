package containerfile_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/dockerfiletest"
	"github.com/slipway-dev/slipway/platform"
)

var update = flag.Bool("update", false, "write the results into testdata")

// TestGolden evaluates every testdata/*.txtar (package dockerfiletest documents the
// format) and compares the result for each platform with want/PLATFORM in it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txtar"), func(t *testing.T) { golden(t, f) })
	}
}

func golden(t *testing.T, file string) {
	a, err := txtar.ParseFile(file)
	must(t, err)
	c := dockerfiletest.Load(t, a)
	var changed bool
	for _, p := range c.Platforms {
		got := strings.ReplaceAll(evaluate(t, c.Input, p), c.Dir+"/", "")
		name := "want/" + strings.NewReplacer("/", "-", ":", "-").Replace(p)
		i := slices.IndexFunc(a.Files, func(f txtar.File) bool { return f.Name == name })
		if i < 0 {
			i = len(a.Files)
			a.Files = append(a.Files, txtar.File{Name: name})
		}
		if diff := cmp.Diff(string(a.Files[i].Data), got); diff != "" {
			if !*update {
				t.Errorf("%s (-want +got; -update accepts it):\n%s", name, diff)
			}
			changed = true
			a.Files[i].Data = []byte(got)
		}
	}
	if changed && *update {
		must(t, os.WriteFile(file, txtar.Format(a), 0o644))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func evaluate(t *testing.T, in containerfile.Input, p string) string {
	t.Helper()
	var err error
	in.Platform, err = platform.Parse(p)
	must(t, err)
	r, err := build(t, in)
	if err != nil {
		return "error\n" + err.Error() + "\n"
	}
	return dump(t, r)
}

// dump formats a result for readers: the configuration, then every layer.
func dump(t *testing.T, r containerfile.Result) string {
	t.Helper()
	var b bytes.Buffer
	if r.Base.Info != nil {
		fmt.Fprintf(&b, "base %s\n", r.Base.Info.Name)
	}
	if r.Author != "" {
		fmt.Fprintf(&b, "author %s\n", r.Author)
	}
	config, err := json.MarshalIndent(r.Config, "", "  ")
	must(t, err)
	fmt.Fprintf(&b, "%s\n", config)
	var made []v1.History
	for _, h := range r.History {
		mark := " "
		if !h.EmptyLayer {
			mark = "+"
			made = append(made, h)
		}
		fmt.Fprintf(&b, "%s %s\n", mark, h.CreatedBy)
	}
	if len(made) != len(r.Layers) {
		t.Errorf("the history tells of %d layers, there are %d", len(made), len(r.Layers))
	}
	for i, l := range r.Layers {
		if made[i].CreatedBy != l.CreatedBy {
			t.Errorf("layer %d is of %q, in the history of %q", i, l.CreatedBy, made[i].CreatedBy)
		}
		fmt.Fprintf(&b, "layer %s\n", l.CreatedBy)
		for _, e := range l.Entries {
			fmt.Fprintf(&b, "  %s\n", line(t, e))
		}
	}
	return b.String()
}

func line(t *testing.T, e layer.Entry) string {
	t.Helper()
	s := fmt.Sprintf("%s %04o %d:%d %s", [...]string{"file", "dir ", "link", "hard", "gone", "opaq"}[e.Type],
		unix(e.Mode), e.UID, e.GID, e.Path)
	switch e.Type {
	case layer.Symlink:
		return s + " -> " + e.Linkname
	case layer.Regular:
		r, err := e.Content.Open()
		must(t, err)
		defer r.Close()
		content, err := io.ReadAll(r)
		must(t, err)
		if h, n, _ := v1.SHA256(bytes.NewReader(content)); h != e.Content.Digest || n != e.Content.Size {
			t.Errorf("%s has digest %s and %d bytes, not %s and %d", e.Path, h, n, e.Content.Digest, e.Content.Size)
		}
		if len(content) > 60 {
			return fmt.Sprintf("%s (%d bytes)", s, len(content))
		}
		return fmt.Sprintf("%s %q", s, content)
	}
	return s
}

func unix(m fs.FileMode) int {
	n := int(m.Perm())
	for bit, special := range map[int]fs.FileMode{0o4000: fs.ModeSetuid, 0o2000: fs.ModeSetgid, 0o1000: fs.ModeSticky} {
		if m&special != 0 {
			n |= bit
		}
	}
	return n
}
