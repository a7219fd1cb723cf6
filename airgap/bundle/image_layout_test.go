package bundle_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestImageLayout reads what Extract wrote, as it is and after a change.
func TestImageLayout(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 2000)
	b := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0].Path)
	agent := b.Contents().Images[0]
	for _, tc := range []struct {
		name   string
		change func(t *testing.T, dir string)
		open   string // what opening says, or
		verify string // what verifying says
	}{
		{name: "as it is"},
		{"no index", func(t *testing.T, dir string) { rm(t, dir, "index.json") }, "no such file", ""},
		{"not JSON", func(t *testing.T, dir string) { edit(t, dir, "index.json", "{", "[") }, "reading", ""},
		{"no image", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", `"manifests":[`, `"manifests":[],"x":[`)
		}, "does not begin with an image", ""},
		{"no name", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", agent.Name, "agent")
		}, "is not the full name", ""},
		{"referrer of another image", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", `image":"`+agent.Name, `image":"`+b.Contents().Images[1].Name)
		}, "does not refer to", ""},
		{"index changed", func(t *testing.T, dir string) {
			edit(t, dir, blob(agent.Digest().Hex), "linux", "xinul")
		}, "has the digest", ""},
		{"manifest gone", func(t *testing.T, dir string) {
			rm(t, dir, blob(agent.Referrers[0].Digest.Hex))
		}, "not included", ""},
		{"space in index.json", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", "{", "{ ")
		}, "index.json is not in the form", ""},
		{"key twice in index.json", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", "{", `{"schemaVersion":1,`)
		}, "index.json", ""},
		{"manifests that only others read", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", "{", `{"Manifests":[],`)
		}, "index.json", ""},
		{"platform in index.json", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", `,"annotations"`,
				`,"platform":{"os":"windows","architecture":"amd64"},"annotations"`)
		}, "index.json is not in the form", ""},
		{"annotation in index.json", func(t *testing.T, dir string) {
			edit(t, dir, "index.json", `"annotations":{`, `"annotations":{"a":"b",`)
		}, "index.json is not in the form", ""},
		{"another oci-layout", func(t *testing.T, dir string) {
			edit(t, dir, "oci-layout", "{", `{"product":"evil",`)
		}, "oci-layout is not in the form", ""},
		{"blob besides", func(t *testing.T, dir string) {
			add(t, dir, blob(strings.Repeat("0", 64)))
		}, "which is not of slipway.local", ""},
		{"script besides", func(t *testing.T, dir string) {
			add(t, dir, "load-images.sh")
		}, `has "load-images.sh", which is not of`, ""},
		{"manifest.json for docker", func(t *testing.T, dir string) {
			add(t, dir, "manifest.json")
		}, `has "manifest.json", which is not of`, ""},
		{"directory besides", func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, "blobs", "sha512"), 0o755); err != nil {
				t.Fatal(err)
			}
		}, `has "blobs/sha512", which is not of`, ""},
		{"layer that is a link", func(t *testing.T, dir string) {
			name := filepath.Join(dir, blob(agent.Included()[0].Layers[0].Digest.Hex))
			if err := os.Rename(name, dir+".layer"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(dir+".layer", name); err != nil {
				t.Fatal(err)
			}
		}, "which is not of", ""},
		{"layer changed", func(t *testing.T, dir string) {
			turn(t, dir, blob(agent.Included()[0].Layers[0].Digest.Hex))
		}, "", "have the digest"},
		{"layer gone", func(t *testing.T, dir string) {
			rm(t, dir, blob(agent.Included()[0].Layers[0].Digest.Hex))
		}, "", "no such file"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "layout")
			if _, err := b.Extract(t.Context(), agent.Name, bundle.ExtractOptions{To: dir}); err != nil {
				t.Fatal(err)
			}
			if !bundle.IsImageLayout(dir) || bundle.IsImageLayout(filepath.Dir(dir)) {
				t.Error("a layout is not recognized")
			}
			if tc.change != nil {
				tc.change(t, dir)
			}
			layout, err := bundle.OpenImageLayout(dir)
			if tc.open != "" {
				bundletest.Says(t, err, tc.open)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if i := layout.Image; i.Name != agent.Name || i.Digest() != agent.Digest() ||
				len(i.Included()) != len(agent.Included()) || len(i.Referrers) != len(agent.Referrers) {
				t.Errorf("%+v", i)
			}
			if _, _, err = layout.Verify(t.Context(), nil); tc.verify != "" {
				bundletest.Says(t, err, tc.verify)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func blob(hex string) string { return "blobs/sha256/" + hex }

func rm(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, name)); err != nil {
		t.Fatal(err)
	}
}

// add adds a file.
func add(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func edit(t *testing.T, dir, name, from, to string) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), from, to, 1)
	if changed == string(text) {
		t.Fatalf("%s has no %q", name, from)
	}
	if err := os.WriteFile(path, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
}

func turn(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join(dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bundletest.Flip(text, len(text)/2, 2), 0o600); err != nil {
		t.Fatal(err)
	}
}
