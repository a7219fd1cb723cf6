package release_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// damages lists what can happen to files on disks. Size and modification time stay the same if
// possible.
var damages = []struct {
	name string
	do   func(b []byte) []byte // nil removes the file
}{
	{"empty", func([]byte) []byte { return []byte{} }},
	{"truncated", func(b []byte) []byte { return b[:len(b)/2] }},
	{"flipped at the start", func(b []byte) []byte { return flip(b, 0) }},
	{"flipped in the middle", func(b []byte) []byte { return flip(b, len(b)/2) }},
	{"flipped at the end", func(b []byte) []byte { return flip(b, len(b)-1) }},
	{"garbage", func(b []byte) []byte { return bytes.Repeat([]byte{0xa5}, len(b)) }},
	{"removed", func([]byte) []byte { return nil }},
}

func flip(b []byte, at int) []byte {
	if len(b) > 0 {
		b[at] ^= 0x10
	}
	return b
}

// damage applies a damage to a file and keeps the file's time.
func damage(t *testing.T, path string, do func([]byte) []byte) {
	t.Helper()
	fi, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if b = do(b); b == nil {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := os.WriteFile(path, b, fi.Mode().Perm()); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, fi.ModTime(), fi.ModTime()); err != nil {
		t.Fatal(err)
	}
}

// glob returns the files that match a pattern, and those in directories that match.
func glob(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %v, %v", pattern, found, err)
	}
	var all []string
	for _, path := range found {
		if fi, err := os.Stat(path); err == nil && fi.IsDir() {
			all = append(all, glob(t, filepath.Join(path, "*"))...)
			continue
		}
		all = append(all, path)
	}
	return all
}

// TestDamage damages every file of a kind, each in another way. Over all rounds, each kind is
// damaged in every way. The next release must have the same bytes as the first, and match its
// checksums.
func TestDamage(t *testing.T) {
	extent.Plain(t)
	yaml, out := hello(t), filepath.Join(t.TempDir(), "out")
	text, err := os.ReadFile(yaml)
	if err != nil {
		t.Fatal(err)
	}
	fewer := strings.Replace(string(text),
		`"windows/amd64:ltsc2019", "windows/amd64:ltsc2022", "windows/amd64:ltsc2025"`, `"windows/amd64:ltsc2022"`, 1)
	if fewer == string(text) {
		t.Fatal("the example does not list its platforms as this test expects")
	}
	if err := os.WriteFile(yaml, []byte(fewer), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := cut(t, product.Options{Path: yaml}, out); err != nil {
		t.Fatal(err)
	}
	want, dir := files(t, out), filepath.Join(filepath.Dir(yaml), ".slipway")
	for _, kind := range []struct {
		name    string
		pattern []string
		again   string // files to remove, so that the damaged ones are read
	}{
		{
			name: "programs", pattern: []string{dir, "work", "go", "*", "*", "*"},
			again: filepath.Join(dir, "blobs", "sha256", "*"),
		},
		{name: "records", pattern: []string{dir, "cache", "*", "*.json"}},
		{name: "layout", pattern: []string{dir, "[io]*[nt]"}}, // index.json and oci-layout
		{name: "blobs", pattern: []string{dir, "blobs", "sha256", "*"}, again: filepath.Join(out, "*")},
		{name: "the release", pattern: []string{out, "*"}},
	} {
		for first := 0; first < len(damages); first += min(4, len(glob(t, filepath.Join(kind.pattern...)))) {
			if first > 0 && !extent.All() {
				break
			}
			t.Run(fmt.Sprintf("%s/%s", kind.name, damages[first].name), func(t *testing.T) {
				for i, path := range glob(t, filepath.Join(kind.pattern...)) {
					damage(t, path, damages[(i+first)%len(damages)].do)
				}
				if kind.again != "" {
					for _, path := range glob(t, kind.again) {
						if err := os.Remove(path); err != nil {
							t.Fatal(err)
						}
					}
				}
				if _, err := cut(t, product.Options{Path: yaml}, out); err != nil &&
					strings.Contains(err.Error(), lock.Name) {
					if err := os.RemoveAll(out); err != nil { // as the message says
						t.Fatal(err)
					}
					_, err = cut(t, product.Options{Path: yaml}, out)
					if err != nil {
						t.Fatal(err)
					}
				} else if err != nil {
					t.Fatal(err)
				}
				if got := files(t, out); !maps.Equal(got, want) {
					t.Errorf("the release is another:\n%v\nwant\n%v", got, want)
				}
			})
		}
	}
	st, err := store.Existing(dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := st.Verify(t.Context(), store.VerifyOptions{})
	if err != nil || len(r.Damaged) > 0 || r.Files == 0 || r.Blobs == 0 || r.Records == 0 {
		t.Errorf("in the end the store is %+v, %v", r, err)
	}
}

// TestDamageFetched damages what came from a registry, the layers of a base and a third-party
// image, and checks that they are fetched again.
func TestDamageFetched(t *testing.T) {
	extent.Plain(t)
	host, _ := serveRegistry(t)
	yaml, out := hello(t), filepath.Join(t.TempDir(), "out")
	onRegistry(t, yaml, host)
	other := nanoserver(t, host+"/others/tool:1.0",
		platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.4711"})
	add := func(path, text string) {
		t.Helper()
		old, err := os.ReadFile(path)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, append(old, text...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	add(yaml, "airgap: {images: images.txt}\n")
	add(filepath.Join(filepath.Dir(yaml), "images.txt"), other+"\n")
	options := product.Options{Path: yaml, Registries: []string{host + "/me"}}
	if _, err := cut(t, options, out); err != nil {
		t.Fatal(err)
	}
	want := files(t, out)
	for round := range 2 {
		t.Run(damages[round].name, func(t *testing.T) {
			for i, path := range glob(t, filepath.Join(filepath.Dir(yaml), ".slipway", "blobs", "sha256", "*")) {
				damage(t, path, damages[(i+round)%len(damages)].do)
			}
			for _, path := range glob(t, filepath.Join(out, "*")) {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := cut(t, options, out); err != nil {
				t.Fatal(err)
			}
			if got := files(t, out); !maps.Equal(got, want) {
				t.Errorf("the release is another:\n%v\nwant\n%v", got, want)
			}
		})
	}
}
