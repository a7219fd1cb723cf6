package github_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/testing/githubtest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/github"
)

// refused checks an error's text, and that it is one line without the token.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !regexp.MustCompile(want).MatchString(err.Error()) ||
		strings.Contains(err.Error(), githubtest.Token) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %v, want %s", err, want)
	}
}

// failing are the cases of [TestRefused] in which the server denies or fails: the exit code is 3.
var failing = []string{"no permission", "no API", "no repository", "an error of the server", "limited for long"}

// answers returns a server that answers everything with a status.
func answers(status int) func(http.ResponseWriter, *http.Request, http.Handler) bool {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
		w.WriteHeader(status)
		return true
	}
}

// TestRefused publishes nothing, and changes nothing that others made.
func TestRefused(t *testing.T) {
	commit := strings.Repeat("1", 40)
	for name, c := range map[string]struct {
		setUp  func(*githubtest.Server, *github.Dist)
		change func(*github.Options)
		want   string
	}{
		"no tag": {
			func(s *githubtest.Server, _ *github.Dist) {
				delete(s.Refs, "v1.0.0")
			}, nil,
			`me/product has no tag v1.0.0: push it first \(git push origin v1.0.0\), or name its commit with -commit`,
		},
		"another commit": {nil, func(o *github.Options) {
			o.Commit = strings.Repeat("2", 40)
		}, `tag v1.0.0 of me/product is commit 111111111111, not 222222222222: `},
		"no commit": {func(s *githubtest.Server, _ *github.Dist) {
			delete(s.Refs, "v1.0.0")
		}, func(o *github.Options) { o.Commit = commit }, `me/product has no commit 1{40}: push it first`},
		"tag of a file": {func(s *githubtest.Server, _ *github.Dist) {
			s.Refs["v1.0.0"] = "blob aaaa"
		}, nil, `tag v1.0.0 of me/product names a blob, not a commit`},
		"published by hand": {
			func(s *githubtest.Server, d *github.Dist) {
				s.Add(&githubtest.Release{
					Tag: "v1.0.0", Body: "<!-- slipway " + d.Mark() + " -->",
					Assets: []*githubtest.Asset{
						{Name: "slipway", Bytes: []byte("\x7fELF")},
						{Name: "release.yaml", Bytes: []byte("kind: Lost\n")},
					},
				})
			},
			nil,
			`release v1.0.0 is published already, without SHA256SUMS, without SHA256SUMS.sig, without app.spdx.json, without big.tar.zst, without product.v1.0.tgz and 2 more: the draft was published by hand, `,
		},
		"another draft": {func(s *githubtest.Server, _ *github.Dist) {
			s.Add(&githubtest.Release{
				Tag:   "v1.0.0",
				Draft: true, Body: "<!-- slipway sha256:" + strings.Repeat("0", 64) + " -->",
			})
		}, nil, `the draft of v1.0.0 is for other files, of a run that was stopped or still goes on: .* -replace`},
		"somebody's file": {func(s *githubtest.Server, _ *github.Dist) {
			s.Add(&githubtest.Release{
				Tag:   "v1.0.0",
				Draft: true, Assets: []*githubtest.Asset{{Name: "slipway", Bytes: []byte("mine")}},
			})
		}, nil, `the draft of v1.0.0 has another slipway, which another run or person sent: replace it with -replace`},
		"two drafts": {func(s *githubtest.Server, _ *github.Dist) {
			s.Add(&githubtest.Release{Tag: "v1.0.0", Draft: true})
			s.Add(&githubtest.Release{Tag: "v1.0.0", Draft: true})
		}, nil, `me/product has 2 drafts for tag v1.0.0: delete all but one at http`},
		"uploads elsewhere": {
			func(s *githubtest.Server, _ *github.Dist) {
				s.Uploads = "https://uploads.evil.example"
			},
			nil,
			`names "https://uploads.evil.example/.*" for uploads, which is neither its own host nor its uploads host: no token is sent there$`,
		},
		"no permission": {
			func(s *githubtest.Server, _ *github.Dist) {
				s.Disturb(func(w http.ResponseWriter, q *http.Request, _ http.Handler) bool {
					if q.Method == http.MethodGet {
						return false
					}
					w.WriteHeader(http.StatusForbidden)
					w.Write([]byte(`{"message":"Resource not accessible by integration\u001b[31m","documentation_url":"https://docs.github.com"}`)) //nolint:errcheck // a test's answer
					return true
				})
			},
			nil,
			`POST /api/v3/repos/me/product/releases: GitHub answers 403 Forbidden: Resource not accessible by integration\\x1b\[31m: GITHUB_TOKEN needs the right to write the contents of me/product; in a workflow, the permission contents: write$`,
		},
		"moved": {func(s *githubtest.Server, _ *github.Dist) {
			s.Disturb(func(w http.ResponseWriter, q *http.Request, _ http.Handler) bool {
				if q.Method == http.MethodPost {
					http.Redirect(w, q, "/api/v3/repositories/1/releases", http.StatusTemporaryRedirect)
				}
				return q.Method == http.MethodPost
			})
		}, nil, `GitHub answers 307 Temporary Redirect: the repository has moved`},
		"no API": {func(s *githubtest.Server, _ *github.Dist) {
			s.Disturb(func(w http.ResponseWriter, q *http.Request, _ http.Handler) bool {
				if strings.HasSuffix(q.URL.Path, "/product") {
					return false
				}
				w.Write([]byte("<html>")) //nolint:errcheck // a test's answer
				return true
			})
		}, nil, `the answer is not that of GitHub's API: .*: check GITHUB_API_URL$`},
		"no repository": {func(s *githubtest.Server, _ *github.Dist) {
			s.Disturb(answers(http.StatusNotFound))
		}, nil, `has no repository me/product that GITHUB_TOKEN may see: `},
		"an error of the server": {func(s *githubtest.Server, _ *github.Dist) {
			s.Disturb(answers(http.StatusInternalServerError))
		}, nil, `GitHub answers 500 Internal Server Error`},
		"limited for long": {func(s *githubtest.Server, _ *github.Dist) {
			s.Disturb(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
				w.Header().Set("Retry-After", "3600")
				w.WriteHeader(http.StatusForbidden)
				return true
			})
		}, nil, `takes no more requests of this account for 1h0m0s, and 10m0s are waited for in all: run again then$`},
	} {
		t.Run(name, func(t *testing.T) {
			s := githubtest.Serve(t)
			d := read(t, dist(t, "1.0.0"))
			if c.setUp != nil {
				c.setUp(s, d)
			}
			before, files := len(s.Releases), 0
			for _, r := range s.Releases {
				files += len(r.Assets)
			}
			o := options()
			if c.change != nil {
				c.change(&o)
			}
			_, err := hub(t, s, 1).Publish(t.Context(), d, o)
			refused(t, err, `^releasing product v1.0.0 at GitHub: .*`+c.want)
			if outcome.Failed(err) != slices.Contains(failing, name) {
				t.Errorf("the error is that of a server: %v", outcome.Failed(err))
			}
			for _, r := range s.Releases {
				files -= len(r.Assets)
				if !r.Draft && len(r.Assets) == 0 {
					t.Error("an empty release is published")
				}
			}
			if files != 0 || len(s.Releases) > before+1 {
				t.Errorf("%d releases, %d files fewer", len(s.Releases), files)
			}
		})
	}
}

// TestToken refuses a token that is wrong, and one that is missing.
func TestToken(t *testing.T) {
	s := githubtest.Serve(t)
	g, err := github.NewGitHub(network.Options{}, s.API(), githubtest.Repository, "ghs_wrong")
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Publish(t.Context(), read(t, dist(t, "1.0.0")), options())
	if !outcome.Failed(err) {
		t.Errorf("a refused token is no failure: %v", err)
	}
	refused(t,
		err, `GitHub answers 401 Unauthorized: Bad credentials: GITHUB_TOKEN is wrong or has expired: take a new one$`)
	for want, args := range map[string][3]string{
		`^GITHUB_TOKEN is not set: `:            {github.PublicAPI, "me/product", ""},
		`^the repository is unknown: `:          {github.PublicAPI, "", "x"},
		`^"me" is not a repository at GitHub`:   {github.PublicAPI, "me", "x"},
		`^"me/\.\." is not a repository`:        {github.PublicAPI, "me/..", "x"},
		`^"api.github.com" is not the address `: {"api.github.com", "me/product", "x"},
	} {
		_, err := github.NewGitHub(network.Options{}, args[0], args[1], args[2])
		refused(t, err, want)
	}
}

// TestMadeByCommit lets GitHub make the tag.
func TestMadeByCommit(t *testing.T) {
	s := githubtest.Serve(t)
	commit := strings.Repeat("3", 40)
	delete(s.Refs, "v1.0.0")
	s.Commits = []string{commit}
	d := read(t, dist(t, "1.0.0"))
	o := options()
	o.Commit = commit
	if _, err := hub(t, s, 1).Publish(t.Context(), d, o); err != nil {
		t.Fatal(err)
	}
	complete(t, s, d)
	if s.Releases[0].Commit != commit {
		t.Errorf("the release is of commit %s", s.Releases[0].Commit)
	}
}

// TestReplace takes over a draft for other files.
func TestReplace(t *testing.T) {
	s := githubtest.Serve(t)
	old := "<!-- slipway sha256:" + strings.Repeat("0", 64) + " -->\nold notes"
	s.Add(&githubtest.Release{
		Tag: "v1.0.0", Draft: true, Body: old,
		Assets: []*githubtest.Asset{{Name: "gone.txt", Bytes: []byte("x")}, {Name: "slipway", Bytes: []byte("old")}},
	})
	d := read(t, dist(t, "1.0.0"))
	o := options()
	o.Replace = true
	if _, err := hub(t, s, 1).Publish(t.Context(), d, o); err != nil {
		t.Fatal(err)
	}
	complete(t, s, d)
}

// TestRace lets two runs begin at the same time: with the same files both get there, with other
// files one gives way. Either way there is one release, complete when it was published.
func TestRace(t *testing.T) {
	for _, same := range []bool{true, false} {
		for range 10 {
			s := githubtest.Serve(t)
			s.Immutable = true
			dists := []*github.Dist{
				read(t, dist(t, "1.0.0")),
				read(t, dist(t, "1.0.0", func(l *lock.Lock) { l.Go = map[bool]string{false: "go1.26"}[same] })),
			}
			errs := make([]error, 2)
			var wait sync.WaitGroup
			for n, d := range dists {
				wait.Go(func() { _, errs[n] = hub(t, s, 6).Publish(context.WithoutCancel(t.Context()), d, options()) })
			}
			wait.Wait()
			winner := slices.Index(errs, nil)
			if winner < 0 || same && errs[1-winner] != nil {
				t.Fatalf("same files %v: %v", same, errs)
			}
			if !same {
				refused(t,
					errs[1-winner],
					`another run is making release|another run has published|is for other files|is published already, with another`)
			}
			complete(t, s, dists[winner])
			s.Close()
		}
	}
}

// TestTakenOver changes the draft while it is filled: nothing is published.
func TestTakenOver(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*githubtest.Server)
		want   string
	}{
		"deleted file": {func(s *githubtest.Server) {
			s.Releases[0].Assets = nil
		}, `the draft of release v1.0.0 is without .*, and nothing is published`},
		"other run": {func(s *githubtest.Server) {
			s.Releases[0].Body = ""
		}, `another run has taken over the draft of v1.0.0`},
		"deleted draft": {func(s *githubtest.Server) { s.Releases = nil }, `404 Not Found`},
	} {
		t.Run(name, func(t *testing.T) {
			s := githubtest.Serve(t)
			sent := 0
			s.Disturb(func(w http.ResponseWriter, q *http.Request, inner http.Handler) bool {
				if q.Method == http.MethodPost && q.URL.Query().Has("name") {
					inner.ServeHTTP(w, q)
					if sent++; sent == len(assets) {
						c.change(s)
					}
					return true
				}
				return false
			})
			_, err := hub(t, s, 1).Publish(t.Context(), read(t, dist(t, "1.0.0")), options())
			refused(t, err, c.want)
			if len(s.Releases) > 0 && len(s.Releases[0].At) > 0 {
				t.Error("it was published")
			}
		})
	}
}

func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		change func(dir string) error
		want   string
	}{
		"changed": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "release.yaml"), []byte("x"), 0o644)
		}, `release.yaml is not the file that SHA256SUMS lists: make the release again$`},
		"missing": {func(dir string) error {
			return os.Remove(filepath.Join(dir, "bin", "slipway"))
		}, `slipway: no such file or directory: SHA256SUMS lists it: make the release again$`},
		"no sums": {func(dir string) error {
			return os.Remove(filepath.Join(dir, "SHA256SUMS"))
		}, `SHA256SUMS is missing`},
		"no lock": {func(dir string) error {
			return os.Remove(filepath.Join(dir, lock.Name))
		}, `has no release.lock.json: make the release first, or name its directory with -out$`},
		"part": {func(dir string) error {
			return os.Rename(filepath.Join(dir, lock.Name), filepath.Join(dir, lock.PartName))
		}, `has a part of a release: join all parts with slipway merge first$`},
		"too long": {func(dir string) error {
			return os.Truncate(filepath.Join(dir, "big.tar.zst"), 2<<30)
		}, `big.tar.zst has 2\.1 GB, and GitHub takes less than 2 GiB of a file: make bundles for fewer platforms`},
		"empty": {func(dir string) error {
			return os.Truncate(filepath.Join(dir, "big.tar.zst"), 0)
		}, `big.tar.zst is empty`},
		"two names": {func(dir string) error {
			text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
			if err != nil {
				return err
			}
			line := regexp.MustCompile(`(?m)^.*release.yaml\n`).FindString(string(text))
			if err := os.WriteFile(filepath.Join(dir, "SHA256SUMS"),
				append(text, strings.Replace(line, "release.yaml", "sbom/release.yaml", 1)...), 0o644); err != nil {
				return err
			}
			return os.Link(filepath.Join(dir, "release.yaml"), filepath.Join(dir, "sbom", "release.yaml"))
		}, `^release.yaml and sbom/release.yaml would both be release.yaml, `},
	} {
		t.Run(name, func(t *testing.T) {
			dir := dist(t, "1.0.0")
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			_, err := github.Read(t.Context(), dir, nil)
			refused(t, err, c.want)
		})
	}
	_, err := github.Read(t.Context(), dist(t, "1.0.0", func(l *lock.Lock) { l.Snapshot = true }), nil)
	refused(t, err, `has a snapshot, whose images no other machine can pull: release to a registry with -registry first$`)
}
