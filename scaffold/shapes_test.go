package scaffold

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/store"
)

// adoptionCases are the archives by their names.
func adoptionCases(t *testing.T) map[string]*txtar.Archive {
	t.Helper()
	files, err := filepath.Glob("testdata/adoption/*.txtar")
	must(t, err)
	all := map[string]*txtar.Archive{}
	for _, f := range files {
		a, err := txtar.ParseFile(f)
		must(t, err)
		all[strings.TrimSuffix(filepath.Base(f), ".txtar")] = a
	}
	return all
}

// written returns a directory with the files of an archive.
func written(t *testing.T, a *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		if ofTest(f) {
			continue
		}
		p := filepath.Join(dir, filepath.FromSlash(f.Name))
		must(t, os.MkdirAll(filepath.Dir(p), 0o755))
		must(t, os.WriteFile(p, f.Data, 0o644))
	}
	for link, to := range keyed(a, linksFile) {
		must(t, os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))))
	}
	return dir
}

// untouched checks that init wrote slipway.yaml and nothing else.
func untouched(t *testing.T, dir string, a *txtar.Archive) {
	t.Helper()
	links := keyed(a, linksFile)
	for _, f := range a.Files {
		if ofTest(f) {
			continue
		}
		if now, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Name))); err != nil ||
			!bytes.Equal(now, f.Data) {
			t.Errorf("%s has changed (%v)", f.Name, err)
		}
	}
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if !slices.ContainsFunc(a.Files, func(f txtar.File) bool {
			return strings.HasPrefix(f.Name+"/", e.Name()+"/")
		}) && links[e.Name()] == "" && e.Name() != product.File && e.Name() != ".slipway" && e.Name() != "dist" {
			t.Errorf("init made %s", e.Name())
		}
	}
}

// rare matches a product for processors and libraries for which Go's library would be compiled once
// more.
var rare = regexp.MustCompile(`386|ppc64le|s390x|darwin|boringcrypto|arm/v|windows/arm64`)

// imagesTitle begins the part of a golden with the images of the release.
const imagesTitle = "-- images --\n"

// releasedImages makes the release and returns what its images have for each platform. Unless
// every case is to be tried, or goldens are written, it takes those of a rare product from the
// golden.
func releasedImages(t *testing.T, dir, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, product.File))
	must(t, err)
	if rare.Match(text) && !extent.All() && !*update {
		want, err := os.ReadFile(file)
		must(t, err)
		_, images, _ := strings.Cut(string(want), imagesTitle)
		return images
	}
	storeDir, out := filepath.Join(dir, ".slipway"), filepath.Join(dir, "dist")
	p, err := product.Load(t.Context(),
		product.Options{Path: filepath.Join(dir, product.File), Made: []string{storeDir, out}})
	must(t, err)
	_, err = release.Release(t.Context(), p, release.Options{Store: storeDir, Out: out})
	must(t, err)
	st, err := store.Open(storeDir)
	must(t, err)
	l, err := lock.Read(filepath.Join(out, lock.Name))
	must(t, err)
	var b strings.Builder
	for _, i := range l.Images {
		fmt.Fprintf(&b, "%s: %s", i.Repository, strings.Join(i.Tags, " "))
		for _, f := range i.FloatingTags {
			b.WriteString(" " + f.Tag)
		}
		b.WriteString("\n")
		for _, c := range i.Children {
			img, err := st.Image(c.Digest)
			must(t, err)
			fmt.Fprintf(&b, "  %s\n%s", c.Platform, contents(t, img))
		}
	}
	return b.String()
}

// contents returns the configuration and the files of an image.
func contents(t *testing.T, img v1.Image) string {
	t.Helper()
	config, err := img.ConfigFile()
	must(t, err)
	labels := config.Config.Labels
	for name := range labels {
		if strings.HasPrefix(name, "org.opencontainers.") {
			delete(labels, name)
		}
	}
	text, err := json.Marshal(config.Config)
	must(t, err)
	var b strings.Builder
	fmt.Fprintf(&b, "    %s\n", text)
	layers, err := img.Layers()
	must(t, err)
	for _, l := range layers {
		r, err := l.Uncompressed()
		must(t, err)
		for tr := tar.NewReader(r); ; {
			h, err := tr.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			if fs.FileMode(h.Mode).IsRegular() && h.Typeflag == tar.TypeReg && !ofBase(h.Name) {
				fmt.Fprintf(&b, "    %04o %d:%d %s\n", h.Mode, h.Uid, h.Gid, h.Name)
			}
		}
		must(t, r.Close())
	}
	return b.String()
}

// ofBase reports whether a file is one of the built-in bases.
func ofBase(name string) bool {
	return slices.ContainsFunc([]string{
		"etc/passwd", "etc/group", "etc/nsswitch.conf", "etc/ssl/certs/",
		"usr/share/", "etc/services", "etc/protocols",
	}, func(p string) bool { return strings.HasPrefix(name, p) })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
