package bundle_test

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/platform"
)

func TestList(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	for _, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		c, err := bundle.Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		var names, pinned strings.Builder
		if err := errors.Join(c.WriteNames(&names, false, false), c.WriteNames(&pinned, false, true)); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile(f.List)
		if err != nil {
			t.Fatal(err)
		}
		if names.String() != string(want) {
			t.Errorf("%s lists\n%sthe list beside it\n%s", f.Path, names.String(), want)
		}
		for n, line := range strings.Split(strings.TrimSpace(pinned.String()), "\n") {
			if i, err := c.Find(line); err != nil || i.Name != c.Images[n].Name {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

func TestFind(t *testing.T) {
	b := bundletest.OpenDemo(t, 5)
	pause := slices.IndexFunc(b.Contents().Images, func(i bundle.Image) bool {
		return i.Name == "docker.io/library/pause:3.9"
	})
	digest := b.Contents().Images[pause].Digest().String()
	zero := "sha256:" + strings.Repeat("0", 64)
	for ref, want := range map[string]bool{
		"docker.io/library/pause:3.9":       true,
		"pause:3.9":                         true,
		"index.docker.io/library/pause:3.9": true,
		"pause@" + digest:                   true,
		"pause:3.9@" + digest:               true,
		"docker.io/library/pause@" + digest: true,
		digest:                              true,
		b.Contents().Images[pause].Included()[0].Desc.Digest.String(): true,
		zero:                            false,
		"pause:3.8":                     false,
		"pause":                         false, // latest
		"pause:3.8@" + digest:           false,
		"pause:3.9@" + zero:             false,
		"other/pause@" + digest:         false,
		"":                              false,
		"a b":                           false,
		"../../etc/passwd":              false,
		"registry.example/tool@" + zero: false,
		"registry.example/tool:latest":  false,
	} {
		i, err := b.Contents().Find(ref)
		if got := err == nil && i.Name == "docker.io/library/pause:3.9"; got != want {
			t.Errorf("%q: found %q, %v", ref, i.Name, err)
		}
	}
}

// TestExtractLayout: crane's library reads what is extracted, every byte of it, under the digest
// that was pinned.
func TestExtractLayout(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 3000)
	for n, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		b := bundletest.Opened(t, f.Path)
		for _, i := range b.Contents().Images {
			if strings.Contains(i.Name, "pause") && n == 5 {
				continue // its attestation is not an image that could be validated
			}
			to := filepath.Join(t.TempDir(), "image")
			x, err := b.Extract(t.Context(), i.Name, bundle.ExtractOptions{To: to})
			if err != nil {
				t.Fatal(err)
			}
			p, err := layout.FromPath(to)
			if err != nil {
				t.Fatal(err)
			}
			index, err := p.ImageIndex()
			if err != nil {
				t.Fatal(err)
			}
			if err := validate.Index(index); err != nil {
				t.Errorf("%s: %v", i.Name, err)
			}
			m, err := index.IndexManifest()
			if err != nil {
				t.Fatal(err)
			}
			want := i.Digest()
			if len(i.Missing()) > 0 {
				want = i.Included()[0].Desc.Digest
			}
			if len(m.Manifests) != 1 || m.Manifests[0].Digest != want ||
				x.Digest != want || m.Manifests[0].Annotations[bundle.AnnotationRefName] != i.Name {
				t.Errorf("%s: %+v, want %s", i.Name, m.Manifests, want)
			}
		}
	}
}

// TestExtractArchive: crane's library reads docker-archives.
func TestExtractArchive(t *testing.T) {
	t.Parallel()
	b := bundletest.OpenDemo(t, 5)
	for _, i := range b.Contents().Images {
		tag, err := name.NewTag(i.Name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range i.Included() {
			if !c.Runnable {
				continue // an attestation
			}
			to := filepath.Join(t.TempDir(), "image.tar")
			if _, err := b.Extract(t.Context(), i.Name,
				bundle.ExtractOptions{To: to, Platform: c.Platform}); err != nil {
				t.Fatal(err)
			}
			img, err := tarball.ImageFromPath(to, &tag)
			if err != nil {
				t.Fatal(err)
			}
			if config, err := img.ConfigName(); err != nil || config != c.Config.Digest {
				t.Errorf("%s for %s: configuration %s, %v", i.Name, c.Platform, config, err)
			}
			if err := validate.Image(img); err != nil {
				t.Errorf("%s for %s: %v", i.Name, c.Platform, err)
			}
		}
	}
	to := filepath.Join(t.TempDir(), "layout.tar")
	if _, err := b.Extract(t.Context(), b.Contents().Images[0].Name,
		bundle.ExtractOptions{To: to, Format: bundle.FormatOCI}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []string
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.Name)
	}
	if want := []string{
		"oci-layout", "index.json",
		bundletest.BlobName(b.Contents().Images[0].Digest()),
	}; !slices.Equal(got[:3], want) {
		t.Errorf("entries %v, want %v in front", got, want)
	}
}

func TestExtractErrors(t *testing.T) {
	whole, node := bundletest.OpenDemo(t, 5), bundletest.OpenDemo(t, 0)
	agent := whole.Contents().Images[0].Name
	arm64 := whole.Contents().Images[0].Manifests[1].Desc.Digest.String()
	there := t.TempDir()
	if err := os.WriteFile(filepath.Join(there, "thesis.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	arm, windows := bundletest.Parse(t, "linux/arm64"), bundletest.Parse(t, "windows/amd64:ltsc2019")
	s390x := platform.Platform{OS: "linux", Architecture: "s390x"}
	for _, c := range []struct {
		name string
		b    *bundle.Bundle
		ref  string
		o    bundle.ExtractOptions
		want string
	}{
		{
			"no such image", whole, "nothing:1",
			bundle.ExtractOptions{To: "x"},
			"nothing:1 is not in the bundle: slipway airgap inspect",
		},
		{
			"a manifest by its digest", whole, arm64,
			bundle.ExtractOptions{To: "x", Platform: s390x},
			arm64 + " is for linux/arm64, not for linux/s390x: leave out -platforms",
		},
		{
			"no such platform", whole, agent,
			bundle.ExtractOptions{To: "x", Platform: s390x},
			"the bundle does not have it for linux/s390x, only for linux/amd64, linux/arm64",
		},
		{
			"not included", node, agent,
			bundle.ExtractOptions{To: "x", Platform: arm},
			"the bundle does not have it for linux/arm64, only for linux/amd64",
		},
		{
			"several for docker", whole, agent,
			bundle.ExtractOptions{To: "x.tar"},
			"a docker-archive has one platform: choose one of linux/amd64, linux/arm64, windows",
		},
		{"docker to directory", whole, agent, bundle.ExtractOptions{
			To: "x", Format: bundle.FormatDocker,
			Platform: windows,
		}, "choose a name that ends in .tar"},
		{"format", whole, agent, bundle.ExtractOptions{To: "x", Format: "zip"}, `unknown format "zip"`},
		{"there already", whole, agent, bundle.ExtractOptions{To: there}, "already exists and has thesis.txt"},
		{
			"a file", whole, agent,
			bundle.ExtractOptions{To: filepath.Join(there, "thesis.txt")},
			"already exists and is not a directory",
		},
		{"no directory", whole, agent, bundle.ExtractOptions{To: filepath.Join(there, "none", "x")}, "no such file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := c.b.Extract(t.Context(), c.ref, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q in it", err, c.want)
			}
		})
	}
}

// TestExtractLeavesNothing: neither a broken blob nor a stop leaves a file or directory behind.
func TestExtractLeavesNothing(t *testing.T) {
	st, l := bundletest.Demo(t, 3000)
	path := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0].Path
	b, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	off := b.Offset(b.Contents().Images[0].Included()[0].Layers[0].Digest)
	e, _ := seekTable(t, b.Archive().Raw()).EntryByDecompressedOffset(uint64(off))
	b.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[e.CompressedOffset+uint64(e.CompressedSize)/2] ^= 1
	broken, err := bundle.Open(bundletest.Write(t, data))
	if err != nil {
		t.Fatal(err)
	}
	defer broken.Close()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		want string
	}{{t.Context(), "damaged"}, {stopped, "canceled"}} {
		dir := t.TempDir()
		p := bundletest.Parse(t, "linux/amd64")
		for _, o := range []bundle.ExtractOptions{{To: dir + "/image"}, {To: dir + "/image.tar", Platform: p}} {
			if _, err := broken.Extract(c.ctx, broken.Contents().Images[0].Name, o); err == nil ||
				!strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %q in it", o.To, err, c.want)
			}
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
	}
}
