package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/store"
)

func TestRemove(t *testing.T) {
	for name, tt := range map[string]struct {
		files []string // next to the store
		store bool
		// ignored says that the .gitignore of a store is there.
		ignored bool
		left    bool
		want    string
	}{
		"a store":        {store: true},
		"with a binary":  {store: true, files: []string{"bin/slipway"}},
		"a binary alone": {files: []string{"bin/slipway"}},
		"half removed":   {ignored: true, files: []string{"blobs/sha256/abc", "work/go/main.go"}},
		"next to our ignore": {
			ignored: true, files: []string{"blobs/sha256/abc", "thesis.txt"},
			left: true, want: "remove it by hand",
		},
		"nothing":           {},
		"with another file": {store: true, files: []string{"thesis.txt"}, left: true},
		"another binary":    {files: []string{"bin/mine"}, left: true},
		"another layout": {
			files: []string{"oci-layout", "index.json", "blobs/sha256/abc"},
			left:  true, want: "remove it by hand",
		},
		"next to slipway.yaml": {
			store: true, files: []string{"slipway.yaml"},
			left: true, want: "it also has slipway.yaml",
		},
		"a module":   {store: true, files: []string{"go.mod"}, left: true, want: "it also has go.mod"},
		"a checkout": {store: true, files: []string{".git/config"}, left: true, want: "it also has .git"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			if tt.store {
				st, err := store.Open(dir)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := st.PutBytes([]byte("blob")); err != nil {
					t.Fatal(err)
				}
			}
			if tt.ignored {
				if err := errors.Join(disk.MkdirAll(dir), disk.Ignore(dir)); err != nil {
					t.Fatal(err)
				}
			}
			for _, f := range tt.files {
				path := filepath.Join(dir, filepath.FromSlash(f))
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, nil, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			err := store.Remove(t.Context(), dir, func(string, ...any) { t.Error("nobody else uses it") })
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			_, err = os.Stat(dir)
			if left := err == nil; left != tt.left {
				t.Errorf("left: %v, want %v", left, tt.left)
			}
			for _, f := range tt.files {
				if _, err := os.Stat(filepath.Join(dir, f)); tt.left && err != nil {
					t.Error(err)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "blobs")); tt.want == "" && err == nil {
				t.Error("the blobs are left")
			}
		})
	}
}

// TestRemoveWaits removes a store that another process works in. TestOpenAmongOthers opens a
// store where other files are. Its lock empties a directory, so none of them may be there.
func TestOpenAmongOthers(t *testing.T) {
	for name, tt := range map[string]struct {
		files []string
		want  string
	}{
		"other files":    {files: []string{"thesis.txt", "src/temp/a", "bin/slipway"}},
		"a killed Open":  {files: []string{"thesis.txt", "temp/.slipway-12.tmp"}},
		"temporary ones": {files: []string{"temp/thesis.txt"}, want: "temp/thesis.txt is there"},
		"work":           {files: []string{"work/go/main.go"}, want: "work/go/main.go is there"},
		"another layout": {
			files: []string{"oci-layout", "index.json", "blobs/sha256/abc"},
			want:  "is an image layout of another program",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range tt.files {
				path := filepath.Join(dir, filepath.FromSlash(f))
				text := map[string]string{
					"oci-layout": `{"imageLayoutVersion":"1.0.0"}`,
					"index.json": `{"schemaVersion":2,"manifests":[]}`,
				}[f]
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
					os.WriteFile(path, []byte(text), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			st, err := store.Open(dir)
			if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			if st != nil { // and again, as a store that has other files
				if st, err = store.Open(dir); err == nil {
					var unlock func()
					unlock, err = st.Lock(t.Context(), nil)
					unlock()
				}
				if err != nil {
					t.Error(err)
				}
			}
			for _, f := range tt.files {
				if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(f))); err != nil &&
					!strings.Contains(f, ".slipway-") {
					t.Errorf("%s is gone: %v", f, err)
				}
			}
		})
	}
}

func TestRemoveWaits(t *testing.T) {
	st := open(t)
	unlock, err := st.Lock(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	if err := store.Remove(ctx, st.Dir(), func(string, ...any) { cancel() }); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	if _, err := os.Stat(filepath.Join(st.Dir(), "oci-layout")); err != nil {
		t.Error(err)
	}
}
