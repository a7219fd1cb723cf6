package release_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

// hello copies examples/hello, so that a test may change it, and returns the path of its
// slipway.yaml.
func hello(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "examples", "hello"))); err != nil {
		t.Fatal(err)
	}
	// A release made by hand in the example left these.
	if err := os.RemoveAll(filepath.Join(dir, ".slipway")); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, product.File)
}

func cut(t *testing.T, options product.Options, out string) (*release.Summary, error) {
	t.Helper()
	p, err := product.Load(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	plan, wrong := release.MakePlan(t.Context(), p, release.Options{Out: out})
	s, err := release.Release(context.Background(), p, release.Options{Out: out})
	if wrong != nil {
		t.Error(wrong)
	} else if err == nil && len(p.Selected) == 0 {
		sameNames(t, plan, out)
	}
	return s, err
}

// files returns the sha256 of every file below dir, except the .gitignore, which is not a file
// of the release.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	sums := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == ".gitignore" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		sum := sha256.Sum256(b)
		sums[filepath.ToSlash(rel)] = hex.EncodeToString(sum[:])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sums
}

func TestRelease(t *testing.T) {
	yaml, out := hello(t), t.TempDir()
	summary, err := cut(t, product.Options{Path: yaml}, out)
	if err != nil {
		t.Fatal(err)
	}
	got := files(t, out)

	t.Run("the summary lists every file", func(t *testing.T) {
		if len(summary.Files) != len(got) {
			t.Errorf("%d files listed, %d there", len(summary.Files), len(got))
		}
		for _, f := range summary.Files {
			if got[f.Name] == "" {
				t.Errorf("%s is listed and not there", f.Name)
			}
		}
		var table bytes.Buffer
		if err := summary.WriteTable(&table); err != nil {
			t.Fatal(err)
		}
		for _, i := range summary.Images {
			if !strings.Contains(table.String(), i.Digest) {
				t.Errorf("the table lacks image %s", i.Name)
			}
		}
	})

	t.Run("SHA256SUMS covers all files but itself", func(t *testing.T) {
		text, err := os.ReadFile(filepath.Join(out, evidence.SumsName))
		if err != nil {
			t.Fatal(err)
		}
		var want strings.Builder
		for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
			name := line[66:]
			fmt.Fprintf(&want, "%s  %s\n", got[name], name)
		}
		if want.String() != string(text) || strings.Count(string(text), "\n") != len(got)-1 {
			t.Errorf("got\n%swant\n%s", text, want.String())
		}
	})

	t.Run("a second run changes nothing", func(t *testing.T) {
		before := times(t, filepath.Join(filepath.Dir(yaml), ".slipway", "blobs"))
		if _, err := cut(t, product.Options{Path: yaml}, out); err != nil {
			t.Fatal(err)
		}
		if after := files(t, out); fmt.Sprint(after) != fmt.Sprint(got) {
			t.Errorf("got %v, first %v", after, got)
		}
		if after := times(t, filepath.Join(filepath.Dir(yaml), ".slipway", "blobs")); after != before {
			t.Errorf("blobs were written anew:\n%s\nfirst:\n%s", after, before)
		}
	})

	t.Run("another directory gives the same bytes", func(t *testing.T) {
		other := t.TempDir()
		if _, err := cut(t, product.Options{Path: hello(t)}, other); err != nil {
			t.Fatal(err)
		}
		if again := files(t, other); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("got %v, first %v", again, got)
		}
	})
}

// times returns the modification times of files.
func times(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, fi.ModTime().UnixNano())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestReleasePart(t *testing.T) {
	out := t.TempDir()
	summary, err := cut(t, product.Options{Path: hello(t), Platforms: []string{"linux"}}, out)
	if err != nil {
		t.Fatal(err)
	}
	if len(summary.Selected) == 0 {
		t.Error("the summary does not say that the release is a part")
	}
	got := files(t, out)
	if len(got) != 3 || got[lock.PartName] == "" || got["hello.linux-amd64"] == "" ||
		got["hello-tools.linux-amd64.tar.gz"] == "" {
		t.Errorf("a part has files %v, want only %s and the artifacts", got, lock.PartName)
	}
}

func TestReleaseWrongHash(t *testing.T) {
	yaml, out := hello(t), t.TempDir()
	p, err := product.Load(t.Context(), product.Options{Path: yaml})
	if err != nil {
		t.Fatal(err)
	}
	p.Sources = append(p.Sources, product.Source{
		Name: "wrong", Module: "github.com/google/go-cmp@v0.7.0",
		Sum:      "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
		GoModSum: "h1:pXiqmnSA92OHEEa9HXL2W4E7lf9JzCmGVUdgjX3N/iU=",
		Revision: "9b12f366a942ebc7254abc7f32ca05068b455fb7",
		Created:  time.Date(2025, 1, 14, 18, 15, 44, 0, time.UTC),
	})
	_, err = release.Release(context.Background(), p, release.Options{Out: out, IncludeBinary: true})
	if err == nil || !strings.Contains(err.Error(), "hash mismatch") {
		t.Fatalf("got error %v, want a hash mismatch", err)
	}
	if got := files(t, out); len(got) > 0 {
		t.Errorf("files were written: %v", got)
	}
	work, err := os.ReadDir(filepath.Join(p.Dir, ".slipway", "work"))
	if err != nil {
		t.Fatal(err)
	}
	if len(work) > 0 {
		t.Errorf("something was built before the hash was checked: %v", work)
	}
}

// TestTooManySubjects: a product that is too large for verifiers is refused before anything is
// made.
func TestTooManySubjects(t *testing.T) {
	extent.Plain(t)
	p, err := product.Load(t.Context(), product.Options{Path: hello(t)})
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(p.Images, func(i product.Image) bool { return i.Kind == "go" })
	one := p.Images[i]
	for n := range 500 {
		one.Name = fmt.Sprintf("%s-%d", p.Images[i].Name, n)
		p.Images = append(p.Images, one)
	}
	_, err = release.Check(t.Context(), p)
	if err == nil || !strings.Contains(err.Error(), "verifiers read at most 1024: divide the product") {
		t.Errorf("%v, want how many subjects verifiers read", err)
	}
}

// packDelta packs deltas of the release in out into it.
func packDelta(t *testing.T, yaml, out string, since ...string) {
	t.Helper()
	p, err := product.Load(t.Context(), product.Options{Path: yaml})
	if err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(filepath.Join(filepath.Dir(yaml), ".slipway"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := lock.Read(filepath.Join(out, lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := airgap.PackDelta(t.Context(), st, l, release.Targets(p.Airgap),
		since, airgap.PackOptions{Dir: out, First: p.Airgap.FirstImage}); err != nil {
		t.Fatal(err)
	}
}

// TestReleaseAgain checks what happens to a directory that has an older release.
func TestReleaseAgain(t *testing.T) {
	yaml, out := hello(t), t.TempDir()
	if _, err := cut(t, product.Options{Path: yaml}, out); err != nil {
		t.Fatal(err)
	}
	dropped := "hello-images.windows-ltsc2025-amd64.tar.zst"
	if files(t, out)[dropped] == "" {
		t.Fatalf("the first release has no %s", dropped)
	}
	deltas := []string{"hello-images.tar.zst.delta", dropped + ".delta"}
	packDelta(t, yaml, out, filepath.Join(out, "hello-images.tar.zst"), filepath.Join(out, dropped))
	own := filepath.Join(out, "notes.txt")
	if err := os.WriteFile(own, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}

	t.Run("a release that stops takes the checksums with it", func(t *testing.T) {
		p, err := product.Load(t.Context(), product.Options{Path: yaml})
		if err != nil {
			t.Fatal(err)
		}
		p.Airgap.Bundles = append(p.Airgap.Bundles, product.Bundle{Name: "no/such/directory"})
		if _, err := release.Release(context.Background(), p, release.Options{Out: out}); err == nil {
			t.Fatal("a bundle was packed into a directory that is not there")
		}
		if files(t, out)[evidence.SumsName] != "" {
			t.Error("SHA256SUMS still says that the release is complete")
		}
	})

	t.Run("bills of materials that no lock names stay", func(t *testing.T) {
		old := []string{"sbom/gone.spdx.json", "hello-0.9.0.cdx.json"}
		for _, name := range old {
			if err := os.WriteFile(filepath.Join(out, name), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := cut(t, product.Options{Path: yaml}, out); err != nil {
			t.Fatal(err)
		}
		got := files(t, out)
		for _, name := range old {
			if _, ok := got[name]; !ok {
				t.Errorf("%s is gone", name)
			}
			if err := os.Remove(filepath.Join(out, name)); err != nil {
				t.Fatal(err)
			}
		}
		if got["sbom/hello.spdx.json"] == "" || got["hello-1.0.0.cdx.json"] == "" {
			t.Error("those of this release are gone")
		}
	})

	t.Run("a delta of this release stays", func(t *testing.T) {
		if _, err := cut(t, product.Options{Path: yaml}, out); err != nil {
			t.Fatal(err)
		}
		for _, name := range deltas {
			if files(t, out)[name] == "" {
				t.Errorf("%s is gone", name)
			}
		}
	})

	t.Run("a platform that was dropped leaves no bundle behind", func(t *testing.T) {
		text, err := os.ReadFile(yaml)
		if err != nil {
			t.Fatal(err)
		}
		fewer := strings.Replace(string(text), `, "windows/amd64:ltsc2025"`, "", 1)
		if fewer == string(text) {
			t.Fatal("the example does not list ltsc2025 as this test expects")
		}
		if err := os.WriteFile(yaml, []byte(fewer), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := cut(t, product.Options{Path: yaml}, out); err != nil {
			t.Fatal(err)
		}
		got := files(t, out)
		if got[dropped] != "" {
			t.Errorf("%s is still there", dropped)
		}
		for _, name := range deltas {
			if got[name] != "" {
				t.Errorf("%s, which makes a bundle of the release before, is still there", name)
			}
		}
		if got["notes.txt"] == "" {
			t.Error("a file that slipway did not make is gone")
		}
	})

	t.Run("a part is not sealed as a whole", func(t *testing.T) {
		if _, err := cut(t, product.Options{Path: yaml, Images: []string{"hello"}}, out); err != nil {
			t.Fatal(err)
		}
		if files(t, out)[evidence.SumsName] != "" {
			t.Error("SHA256SUMS says that a part is a complete release")
		}
	})
}

func TestReleaseCancelled(t *testing.T) {
	yaml, out := hello(t), t.TempDir()
	p, err := product.Load(t.Context(), product.Options{Path: yaml})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := release.Release(ctx, p, release.Options{Out: out}); err == nil {
		t.Fatal("an interrupted release succeeded")
	}
	if got := files(t, out); len(got) > 0 {
		t.Errorf("files were written: %v", got)
	}
}
