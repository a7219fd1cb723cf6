package assemble

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
)

// TestKodataLinks lists deep directories, and directories that several links lead to.
func TestKodataLinks(t *testing.T) {
	tree := t.TempDir()
	deep := strings.Repeat("deep/", 60)
	linked(t, tree, map[string]string{deep + "one": "../shared", deep + "two": "../shared"})
	list, err := kodata(tree, ".", func(string) (layer.Content, error) { return layer.Content{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	var files []string
	for _, e := range list {
		if e.Type != layer.Dir {
			files = append(files, strings.TrimPrefix(e.Path, koData+"/"))
		}
	}
	slices.Sort(files)
	want := []string{deep + "one/file", deep + "two/file", strings.Repeat("deep/", 59) + "shared/file"}
	if !slices.Equal(files, want) {
		t.Errorf("the files are %q, want %q", files, want)
	}
}

// TestKodataLoop refuses directories whose links lead to one another.
func TestKodataLoop(t *testing.T) {
	tree := t.TempDir()
	linked(t, tree, map[string]string{"a/b": "../shared", "shared/a": "../a"})
	_, err := kodata(tree, ".", func(string) (layer.Content, error) { return layer.Content{}, nil })
	if err == nil || !strings.Contains(err.Error(), "links nest without end") {
		t.Errorf("error = %v", err)
	}
}

// linked writes kodata with links, and with a directory shared that has a file, next to the
// directory of each link.
func linked(t *testing.T, tree string, links map[string]string) {
	t.Helper()
	for name, target := range links {
		link := filepath.Join(tree, "kodata", name)
		shared := filepath.Join(filepath.Dir(filepath.Dir(link)), "shared")
		if err := errors.Join(
			os.MkdirAll(filepath.Dir(link), 0o755),
			os.MkdirAll(shared, 0o755),
			os.WriteFile(filepath.Join(shared, "file"), nil, 0o600),
			os.Symlink(target, link),
		); err != nil {
			t.Fatal(err)
		}
	}
}
