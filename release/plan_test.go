package release_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/report/changes"
	"github.com/slipway-dev/slipway/store"
)

func TestPlanNames(t *testing.T) {
	p := newPlanned(t)
	first := p.plan(t, "1.1.0", "a")
	for _, n := range first.Names {
		if n.State != publish.New || n.Digest.Hex != "" {
			t.Errorf("%s is %s, %s", n.Reference, n.State, n.Digest)
		}
	}
	l := p.release(t, "1.1.0", "a")

	t.Run("they are those that the registries have", func(t *testing.T) {
		var tags []string
		for _, place := range []struct {
			of    *registrytest.Server
			paths []string
		}{{p.one, []string{"team/shared/app"}}, {p.two, []string{"flat/app", "flat/tool"}}} {
			for _, path := range place.paths {
				repo := place.of.Repo(t, path)
				list, err := remote.List(repo)
				if err != nil {
					t.Fatal(err)
				}
				for _, tag := range list {
					tags = append(tags, repo.Name()+":"+tag)
				}
			}
		}
		var names []string
		for _, n := range first.Names {
			names = append(names, n.Reference)
		}
		slices.Sort(names)
		slices.Sort(tags)
		if d := cmp.Diff(tags, names); d != "" || len(names) != 20 {
			t.Errorf("(-registries +plan):\n%s", d)
		}
	})
	t.Run("again", func(t *testing.T) {
		again := p.plan(t, "1.1.0", "a")
		for _, n := range again.Names {
			if n.State != publish.There || !n.Same {
				t.Errorf("%s is %s (%s)", n.Reference, n.State, n.Reason)
			}
		}
		if d := cmp.Diff(asJSON(t, again), asJSON(t, p.plan(t, "1.1.0", "a"))); d != "" {
			t.Errorf("another plan differs:\n%s", d)
		}
		if len(again.Changes) > 0 || again.Err() != nil {
			t.Errorf("changes %v, %v", again.Changes, again.Err())
		}
	})
	t.Run("a higher version", func(t *testing.T) {
		got := states(p.plan(t, "1.2.0", "b"))
		app := l.Images[0]
		for name, want := range map[string]publish.State{
			app.Repository + ":1.2.0": publish.New, app.Repository + ":1.2.0-windows-amd64": publish.New,
			app.Repository + ":latest": publish.Moves, app.Copies[0] + ":v1": publish.Moves,
			app.Repository + ":0.9.0-tool": publish.Refused,
		} {
			if got[name].State != want {
				t.Errorf("%s is %s (%s), want %s", name, got[name].State, got[name].Reason, want)
			}
		}
		if n := got[app.Repository+":latest"]; n.From != "1.1.0" || n.To != "1.2.0" || n.Digest != app.Digest ||
			n.Reason != "1.2.0 is above 1.1.0" {
			t.Errorf("latest is %+v", n)
		}
	})
	t.Run("a lower version", func(t *testing.T) {
		l := p.release(t, "1.0.0", "a")
		if n := states(p.plan(t, "1.0.0", "a"))[l.Images[0].Repository+":latest"]; n.State != publish.Stays ||
			n.Reason != "1.0.0 is below 1.1.0, which it names" {
			t.Errorf("latest is %+v", n)
		}
	})
}

func TestPlanConflicts(t *testing.T) {
	p := newPlanned(t)
	l := p.release(t, "1.1.0", "a")
	app := l.Images[0].Repository

	plan := p.plan(t, "1.1.0", "b")
	want := app + ":1.1.0 is " + l.Images[0].Digest.String() + " already, and this release is another: " +
		"its revision is a, and that of this release is b: raise the version, or delete the tag if it is not in use"
	if !slices.Contains(plan.Refused, want) || plan.Err() == nil {
		t.Errorf("refused are\n%s\nwant among them\n%s", strings.Join(plan.Refused, "\n"), want)
	}
	if n := states(plan)[app+":1.1.0-ltsc2022"]; n.State != publish.Refused {
		t.Errorf("the tag of a platform is %+v", n)
	}
	inputs := []changes.Input{{Input: "source here", From: "commit a", To: "commit b"}}
	if d := cmp.Diff(inputs, plan.Changes); d != "" {
		t.Errorf("changes (-want +got):\n%s", d)
	}

	// What is not certain is not refused: the lock of the last release is gone.
	if err := os.Remove(filepath.Join(p.dir, "dist", lock.Name)); err != nil {
		t.Fatal(err)
	}
	plan = p.plan(t, "1.1.0", "a")
	for _, n := range plan.Names {
		if n.State != publish.There || n.Same {
			t.Errorf("%s is %s (%s), same: %v", n.Reference, n.State, n.Reason, n.Same)
		}
	}
	var table bytes.Buffer
	if err := plan.WriteTable(&table); err != nil {
		t.Fatal(err)
	}
	if line := ":1.1.0                there, as " + l.Images[0].Digest.String() +
		": the release must be the same\n"; !strings.Contains(table.String(), line) {
		t.Errorf("the table lacks %q:\n%s", line, table.String())
	}
}

// TestPlanWithoutRegistry checks that a registry that refuses everything is reported, and the
// other one is asked all the same.
func TestPlanWithoutRegistry(t *testing.T) {
	p := newPlanned(t)
	p.two.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		if q.URL.Path == "/v2/" || strings.Contains(q.URL.Path, "/manifests/") {
			w.Header().Set("WWW-Authenticate", `Basic realm="two"`)
			w.WriteHeader(http.StatusUnauthorized)
			return true
		}
		return false
	})
	plan := p.plan(t, "1.1.0", "a")
	for _, n := range plan.Names {
		want := publish.New
		if strings.HasPrefix(n.Reference, p.two.Host()) {
			want = publish.Unknown
		}
		if n.State != want {
			t.Errorf("%s is %s (%s), want %s", n.Reference, n.State, n.Reason, want)
		}
	}
	if len(plan.Refused) == 0 || !strings.HasPrefix(plan.Refused[0], "looking at "+p.two.Host()+"/flat/app") {
		t.Errorf("refused are %q", plan.Refused)
	}
	var want []release.Credential
	for _, s := range []*registrytest.Server{p.one, p.two} {
		want = append(want, release.Credential{Registry: s.Host(), Use: "push", Source: network.Anonymous})
	}
	if d := cmp.Diff(want, plan.Credentials); d != "" {
		t.Errorf("credentials (-want +got):\n%s", d)
	}
}

// TestPlanBesideRelease makes a plan while the store and the output directory are locked, for which
// it must not wait.
func TestPlanBesideRelease(t *testing.T) {
	p := newPlanned(t)
	p.release(t, "1.1.0", "a")
	st, err := store.Open(filepath.Join(p.dir, ".slipway"))
	if err != nil {
		t.Fatal(err)
	}
	leave, err := st.Lock(t.Context(), func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	unlock, err := release.Hold(t.Context(), filepath.Join(p.dir, "dist"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	p.plan(t, "1.1.0", "a")
}
