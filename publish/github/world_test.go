package github_test

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/github"
)

// assets are the names that GitHub has for them.
var assets = []string{
	"SHA256SUMS", "SHA256SUMS.sig", "app.spdx.json", "big.tar.zst", "product.v1.0.tgz",
	"release.lock.json", "release.yaml", "slipway",
}

// dist makes the directory of a release.
func dist(t testing.TB, version string, change ...func(*lock.Lock)) string {
	t.Helper()
	dir := t.TempDir()
	l := &lock.Lock{
		SchemaVersion: lock.SchemaVersion, Release: lock.Release{
			Name: "product", Version: version,
			Created: time.Unix(0, 0).UTC(), Registry: "ghcr.io/me",
		},
		Images: []lock.Image{{
			Name: "app", Kind: "go", Repository: "ghcr.io/me/app", Tags: []string{version},
			Digest: v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("a", 64)},
		}},
	}
	for _, f := range change {
		f(l)
	}
	text, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"release.yaml": "kind: List\n", "big.tar.zst": strings.Repeat("bundle of "+version, 20000),
		"bin/slipway":        "\x7fELF",
		"sbom/app.spdx.json": "{}", "product.v1~0.tgz": "chart", lock.Name: string(text),
	}
	var sums strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(files[name])), name)
	}
	files[evidence.SumsName], files[evidence.SumsSignature] = sums.String(), "signature"
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read is [github.Read] of a right directory.
func read(t testing.TB, dir string) *github.Dist {
	t.Helper()
	d, err := github.Read(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// hub is the repository of a server, tried again at once.
func hub(t testing.TB, s *githubtest.Server, attempts int) *github.GitHub {
	t.Helper()
	g, err := github.NewGitHub(network.Options{Wait: time.Microsecond, Attempts: attempts}, s.API(),
		githubtest.Repository, githubtest.Token)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// options release v1.0.0 one file after another, so that tests can count requests.
func options() github.Options { return github.Options{Tag: "v1.0.0", Notes: "notes\n", Jobs: 1} }

// complete checks that there is one release, published when it had each asset once.
func complete(t testing.TB, s *githubtest.Server, d *github.Dist) {
	t.Helper()
	if len(s.Releases) != 1 {
		t.Fatalf("there are %d releases, want one", len(s.Releases))
	}
	r := s.Releases[0]
	if r.Draft {
		t.Fatal("the release is a draft")
	}
	var want, have []string
	for _, name := range assets {
		want = append(want, name+" uploaded")
	}
	have = append(have, r.At...)
	slices.Sort(have)
	if !slices.Equal(have, want) {
		t.Errorf("when it was published the release had\n%q, want\n%q", have, want)
	}
	if len(r.Assets) != len(want) {
		t.Errorf("it has %d assets, want %d", len(r.Assets), len(want))
	}
	for _, f := range d.Files {
		at := slices.IndexFunc(r.Assets, func(a *githubtest.Asset) bool { return a.Name == f.Name })
		if at < 0 {
			t.Errorf("%s is missing", f.Name)
			continue
		}
		local, err := os.ReadFile(filepath.Join(d.Dir, f.Path))
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Assets[at]; string(a.Bytes) != string(local) || f.Path != f.Name && a.Label != f.Path {
			t.Errorf("%s has other bytes than %s, or the label %q", f.Name, f.Path, a.Label)
		}
	}
	if want := "<!-- slipway " + d.Mark() + " -->\nnotes\n"; r.Body != want {
		t.Errorf("the notes are %q, want %q", r.Body, want)
	}
}
