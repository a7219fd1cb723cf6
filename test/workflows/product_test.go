package workflows

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
)

// TestProduct releases two products by the workflow in one run: plan, shards, merge with a key, a
// draft with all files. No tag exists before everything else does, all jobs have one Go, the
// registry that needs no login sees none, and what an image copies is the repository's.
func TestProduct(t *testing.T) {
	testprog.Need(t, "act")
	registry, hub := registrytest.Serve(t), githubtest.Serve(t)
	registry.Disturb(func(w http.ResponseWriter, q *http.Request) bool { return login(t, w, q) })
	repository := clone(t, registry.Host())
	key, _, err := signature.Generate([]byte("secret"))
	must(t, err)
	text := fmt.Sprintf("KEY=%q\nPASSWORD=secret\nREGISTRY_PASSWORD=%s\nGITHUB_TOKEN=%s\n", key,
		password, githubtest.Token)
	artifacts, out, err := act(t, repository, "caller.yml", text, append(standIns(t, repository),
		"--env=GITHUB_API_URL="+hub.API(), "--env=GITHUB_REPOSITORY="+githubtest.Repository)...)
	if err != nil {
		t.Fatalf("act: %v\n%s", err, out)
	}
	for _, secret := range []string{githubtest.Token, "PRIVATE KEY", password} {
		if strings.Contains(out, secret) {
			t.Errorf("the log has %q", secret)
		}
	}

	for _, file := range []string{
		"part-0@demo/part-0/release.part.json", "part-1@demo/part-1/release.part.json",
		"part-0@files/part-0/release.part.json", "release@files/dist/release.lock.json",
	} {
		if _, err := os.Stat(filepath.Join(artifacts, file)); err != nil {
			t.Error(err)
		}
	}
	l, err := lock.Read(filepath.Join(artifacts, "release@demo", "dist", "release.lock.json"))
	must(t, err)
	d, err := remote.Get(registry.Repo(t, "me/demo/hello").Tag("1.0.0"),
		remote.WithAuth(&authn.Basic{Username: "me", Password: password}))
	must(t, err)
	if len(l.Images) != 1 || d.Digest != l.Images[0].Digest {
		t.Errorf("the tag names %s, the lock %v", d.Digest, l.Images)
	}
	calls, _ := registry.Reset()
	tagsLast(t, calls)
	wholeRepository(t, registry, repository)
	oneGo(t, artifacts)

	if len(hub.Releases) != 1 || !hub.Releases[0].Draft || hub.Releases[0].Tag != "v1.0.0" {
		t.Fatalf("the releases at GitHub: %+v", hub.Releases)
	}
	for _, file := range []string{
		"SHA256SUMS", "SHA256SUMS.sigstore.json", "provenance.sigstore.json",
		"demo-images.tar.zst",
	} {
		if !slices.ContainsFunc(hub.Releases[0].Assets, func(a *githubtest.Asset) bool { return a.Name == file }) {
			t.Errorf("the draft has no %s", file)
		}
	}
}

// password is that of the registry.
const password = "of-the-registry"

// login asks who uses a repository below me for a password, and accepts no other one anywhere.
func login(t *testing.T, w http.ResponseWriter, q *http.Request) (answered bool) {
	_, given, ok := q.BasicAuth()
	switch {
	case given == password:
		return false
	case ok || q.Header.Get("Authorization") != "":
		t.Errorf("%s %s with the Authorization %q", q.Method, q.URL.Path, q.Header.Get("Authorization"))
	case q.URL.Path != "/v2/" && !strings.HasPrefix(q.URL.Path, "/v2/me/"):
		return false
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
	w.WriteHeader(http.StatusUnauthorized)
	return true
}

// tagsLast checks that a product's last write is that of its only tag.
func tagsLast(t *testing.T, calls []string) {
	t.Helper()
	writes := slices.DeleteFunc(calls, func(c string) bool {
		return !strings.Contains(c, " /v2/me/") || !strings.HasPrefix(c, "PUT ") && !strings.HasPrefix(c, "POST ")
	})
	tags := slices.DeleteFunc(slices.Clone(writes), func(c string) bool {
		return !regexp.MustCompile(`/manifests/[^s]`).MatchString(c)
	})
	if len(tags) != 1 || writes[len(writes)-1] != tags[0] {
		t.Errorf("tags were written by %q, and last was %q", tags, writes[len(writes)-1])
	}
}

// wholeRepository checks that an image with everything in the repository has its files, and none of
// those that the jobs need.
func wholeRepository(t *testing.T, registry *registrytest.Server, repository string) {
	t.Helper()
	img, err := remote.Image(registry.Repo(t, "open/files/files").Tag("1.0.0"))
	must(t, err)
	flat := mutate.Extract(img)
	defer flat.Close()
	var have []string
	for r := tar.NewReader(flat); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must(t, err)
		if h.Typeflag == tar.TypeReg {
			have = append(have, strings.TrimPrefix(h.Name, "app/"))
		}
	}
	want := strings.Split(strings.TrimSpace(testprog.Run(t, "git", "-C", repository, "ls-files")), "\n")
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		only := slices.DeleteFunc(slices.Clone(have), func(f string) bool { return slices.Contains(want, f) })
		t.Errorf("the image has %d files and the repository %d; only in the image: %.5q", len(have),
			len(want), only[:min(len(only), 5)])
	}
}

// oneGo checks that only the first job of a release decides the version of Go.
func oneGo(t *testing.T, artifacts string) {
	t.Helper()
	calls, err := os.ReadFile(filepath.Join(artifacts, "setup-go"))
	must(t, err)
	if files := strings.Count(string(calls), "go.mod"); files != 2 {
		t.Errorf("%d jobs of two releases took the version from a file:\n%s", files, calls)
	}
}
