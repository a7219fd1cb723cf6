package bundle_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// TestExtractAgain: a layout that is there, complete or in part, is completed, and is then as if it
// had been written at once. One that holds something else is refused, and stays as it is.
func TestExtractAgain(t *testing.T) {
	t.Parallel()
	b := bundletest.OpenDemo(t, 5)
	image := b.Contents().Images[0]
	extract := func(to string) error {
		_, err := b.Extract(t.Context(), image.Name, bundle.ExtractOptions{To: to})
		return err
	}
	whole := filepath.Join(t.TempDir(), "image")
	if err := extract(whole); err != nil {
		t.Fatal(err)
	}
	layer := filepath.FromSlash(bundletest.BlobName(image.Included()[0].Layers[0].Digest))
	index := filepath.FromSlash(bundletest.BlobName(image.Digest()))
	write := func(name, text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600) }
	}
	gone := func(name string) func(dir string) error {
		return func(dir string) error { return os.RemoveAll(filepath.Join(dir, name)) }
	}
	for _, c := range []struct {
		name   string
		change func(dir string) error
		want   []string // in the error; none where the layout is completed
	}{
		{"complete", func(string) error { return nil }, nil},
		{"empty", os.RemoveAll, nil},
		{"an empty directory", func(dir string) error {
			return os.Mkdir(filepath.Join(dir, "blobs", "sha256", "x"), 0o755)
		}, []string{"has blobs/sha256/x, which is not of this image"}},
		{"a layer is gone", gone(layer), nil},
		{"a layer is half", func(dir string) error { return os.Truncate(filepath.Join(dir, layer), 7) }, nil},
		{"the index is another", write(index, "another"), nil},
		{"no blobs", gone("blobs"), nil},
		{"no index.json", gone("index.json"), nil},
		{"half an index.json", func(dir string) error { return os.Truncate(filepath.Join(dir, "index.json"), 7) }, nil},
		{"only blobs", func(dir string) error { return os.Remove(filepath.Join(dir, "oci-layout")) }, nil},
		{
			"another image's index.json", write("index.json", "{}"),
			[]string{"index.json already exists, and is of another image"},
		},
		{
			"something else", write("thesis.txt", "precious"),
			[]string{"has thesis.txt, which is not of this image: name another directory"},
		},
		{
			"something else in blobs", write(filepath.Join("blobs", "thesis.txt"), "precious"),
			[]string{"has blobs/thesis.txt"},
		},
		{"a link", func(dir string) error {
			return os.Symlink("index.json", filepath.Join(dir, "blobs", "link"))
		}, []string{"has blobs/link"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			to := filepath.Join(t.TempDir(), "image")
			if err := os.CopyFS(to, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := c.change(to); err != nil {
				t.Fatal(err)
			}
			before := deepTree(t, filepath.Dir(to))
			err := extract(to)
			if c.want != nil {
				bundletest.Says(t, err, append(c.want, to)...)
				if d := cmp.Diff(before, deepTree(t, filepath.Dir(to))); d != "" {
					t.Errorf("an extraction that was refused left (-before +after):\n%s", d)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(deepTree(t, filepath.Dir(whole)), deepTree(t, filepath.Dir(to))); d != "" {
				t.Errorf("files (-want +got):\n%s", d)
			}
		})
	}
}

// TestExtractKilled: what an extraction left that was killed before its files were in their place
// goes at the next one.
func TestExtractKilled(t *testing.T) {
	t.Parallel()
	b := bundletest.OpenDemo(t, 5)
	dir := t.TempDir()
	half, err := disk.Temp(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(half, "oci-layout"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Extract(t.Context(), b.Contents().Images[0].Name,
		bundle.ExtractOptions{To: filepath.Join(dir, "image")}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("in the directory are %v %v, want only the image", left, err)
	}
}

// deepTree is what is below a directory: each file's checksum by its path, and directories.
func deepTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || !d.Type().IsRegular() {
			all[rel] = d.Type().String()
			return err
		}
		data, err := os.ReadFile(path)
		all[rel] = bundletest.Sum(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
