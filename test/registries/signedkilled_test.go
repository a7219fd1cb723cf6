package registries

import (
	"flag"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
)

// both is charted for Linux and Windows, with the platforms' tags: all subjects of evidence.
func both() map[string]string {
	files := maps.Clone(charted)
	files["slipway.yaml"] = strings.NewReplacer(
		"platforms: [linux/amd64]", `platforms: [linux/amd64, "windows/amd64:ltsc2022"]`,
		"floatingTags: [latest], dockerfile",
		`floatingTags: [latest], platformTags: ["{{.Version}}-{{.OS}}"], dockerfile`,
	).Replace(files["slipway.yaml"])
	return files
}

var every = flag.Bool("every", false, "end signed releases at every request that writes, not at some")

// TestSignedKilled ends a signed release by SIGKILL at requests that write, from the first to the
// last: no tag is there unless all evidence is. publish's TestKilledSigning ends the stage itself
// at every one. The next run completes the release, and the registry and the lock are as
// if nothing had happened: nothing is there twice.
func TestSignedKilled(t *testing.T) {
	private, _, err := signature.Generate(nil)
	must(t, err)
	for kind, empty := range map[string]func(t *testing.T) http.Handler{
		"referrers API": func(t *testing.T) http.Handler { return stored(t, t.TempDir()) },
		"404":           func(*testing.T) http.Handler { return registrytest.Handler() },
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			slipway := newReleaser(t, both())
			slipway.key = filepath.Join(t.TempDir(), "release.key")
			must(t, os.WriteFile(slipway.key, private, 0o600))
			f := front{writes: true}
			var current atomic.Pointer[http.Handler]
			next := func() {
				h := empty(t)
				current.Store(&h)
				must(t, os.RemoveAll(filepath.Join(slipway.dir, "dist")))
			}
			at := f.serve(t,
				http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { (*current.Load()).ServeHTTP(w, q) }))
			next()
			l := slipway.release(t, "v1.21.0", at)
			total, want, has := f.n, slipway.lock(t), contents(t, l)
			if lacking := unproven(t, l); lacking != nil {
				t.Fatal(lacking)
			}
			tagged := 0
			step := max(1, total/5)
			if *every {
				step = 1
			}
			ended := 0
			for n := total; n > 0; n -= step {
				ended++
				next()
				f.reset(n)
				slipway.killed(t, &f, "v1.21.0", at)
				f.reset(0)
				if tags := releaseTags(t, l); len(tags) > 0 {
					tagged++
					if lacking := unproven(t, l); lacking != nil {
						t.Errorf("request %d: there are the tags %v, and %v", n, tags, lacking)
					}
				}
				slipway.release(t, "v1.21.0", at)
				if now := slipway.lock(t); string(now) != string(want) {
					t.Errorf("request %d: the lock of the next run is another one:\n%s", n, now)
				}
				if lacking := unproven(t, l); lacking != nil {
					t.Errorf("request %d and another run: %v", n, lacking)
				}
				if got := contents(t, l); !maps.Equal(got, has) {
					t.Errorf("request %d and another run: the registry has\n%v\nwant\n%v", n, got, has)
				}
			}
			if tagged == 0 || tagged == ended {
				t.Errorf("there were tags at %d of %d requests", tagged, ended)
			}
			t.Logf("ended at %d of %d requests; there were tags at %d of them", ended, total, tagged)
		})
	}
}

// releaseTags returns which tags of a release, other than those that find evidence, are there.
func releaseTags(t *testing.T, l *lock.Lock) (all []string) {
	t.Helper()
	for _, i := range l.Published() {
		for _, n := range i.Names() {
			ref, err := name.ParseReference(n.Reference)
			must(t, err)
			if _, err := remote.Head(ref); err == nil {
				all = append(all, n.Reference)
			} else if outcome.Of(err) != outcome.Absent {
				t.Fatal(err)
			}
		}
	}
	return all
}

// contents returns what every tag of the repositories of a release refers to, and what every list
// of referrers has.
func contents(t *testing.T, l *lock.Lock) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, i := range l.Published() {
		repo, err := name.NewRepository(i.Repository)
		must(t, err)
		tags, err := remote.List(repo)
		must(t, err)
		for _, tag := range tags {
			d, err := remote.Head(repo.Tag(tag))
			must(t, err)
			all[repo.Tag(tag).Name()] = d.Digest.String()
		}
		for _, d := range i.Documents() {
			idx, err := remote.Referrers(repo.Digest(d.Digest.String()))
			must(t, err)
			list, err := idx.IndexManifest()
			must(t, err)
			var digests []string
			for _, r := range list.Manifests {
				digests = append(digests, r.Digest.String())
			}
			slices.Sort(digests)
			all[d.Digest.String()] = strings.Join(digests, " ")
		}
	}
	return all
}
