package release_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/release"
)

// twice is a product without programs, for two registries, with every kind of name.
const twice = `apiVersion: slipway/v1
name: demo
version: VERSION
platforms: [linux/amd64, "windows/amd64:ltsc2019", "windows/amd64:ltsc2022"]
destinations:
- {name: one, registry: ONE/team}
- {name: two, registry: TWO, repository: "flat/{{.Name}}"}
names:
  floatingTags: [latest, "v{{.Major}}"]
sources:
- {name: here, directory: ., revision: REVISION, created: 2024-01-01T00:00:00Z}
images:
- name: app
  source: here
  repository: shared/app
  platformTags: ["{{.Version}}-{{.OS}}-{{.Arch}}", '{{if .WindowsRelease}}{{.Version}}-{{.WindowsRelease}}{{end}}']
  dockerfile: {file: Dockerfile, context: files}
- name: tool
  source: here
  version: 0.9.0
  repository: shared/app
  tags: ["{{.Version}}-tool", "{{.Version}}-tool-again"]
  floatingTags: [tool]
  dockerfile: {file: Dockerfile, context: files}
`

// planned is the product in a directory, with its registries.
type planned struct {
	dir      string
	one, two *registrytest.Server
}

func newPlanned(t *testing.T) *planned {
	t.Helper()
	p := &planned{t.TempDir(), registrytest.Serve(t), registrytest.Serve(t)}
	for name, text := range map[string]string{
		"Dockerfile":     "FROM scratch\nCOPY greeting /greeting\n",
		"files/greeting": "hello\n",
	} {
		file := filepath.Join(p.dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// load reads the product at a version and a commit.
func (p *planned) load(t *testing.T, version, revision string) (*product.Product, release.Options) {
	t.Helper()
	yaml := filepath.Join(p.dir, product.File)
	text := strings.NewReplacer("VERSION", version, "REVISION", revision, "ONE", p.one.Host(), "TWO",
		p.two.Host()).Replace(twice)
	if err := os.WriteFile(yaml, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	loaded, err := product.Load(t.Context(), product.Options{Path: yaml, Registries: []string{"all"}})
	if err != nil {
		t.Fatal(err)
	}
	return loaded, release.Options{Out: filepath.Join(p.dir, "dist")}
}

// plan makes a plan, and checks that this changes nothing.
func (p *planned) plan(t *testing.T, version, revision string) *release.Plan {
	t.Helper()
	loaded, o := p.load(t, version, revision)
	p.one.Reset()
	p.two.Reset()
	before := tree(t, p.dir)
	plan, err := release.MakePlan(t.Context(), loaded, o)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, tree(t, p.dir)); d != "" {
		t.Errorf("the plan changed files (-before +after):\n%s", d)
	}
	for _, s := range []*registrytest.Server{p.one, p.two} {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete} {
			if n := s.Count(method, ""); n > 0 {
				t.Errorf("the plan made %d requests with %s", n, method)
			}
		}
		if s.Count(http.MethodGet, "/manifests/") == 0 {
			t.Error("a registry was not asked")
		}
	}
	return plan
}

// release makes the release that a plan is about, and compares the names.
func (p *planned) release(t *testing.T, version, revision string) *lock.Lock {
	t.Helper()
	plan := p.plan(t, version, revision)
	loaded, o := p.load(t, version, revision)
	if _, err := release.Release(t.Context(), loaded, o); err != nil {
		t.Fatal(err)
	}
	return sameNames(t, plan, o.Out)
}

// tree lists the files below a directory, with their sizes and times.
func tree(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err == nil {
			all = append(all, fmt.Sprintln(path, fi.Size(), fi.ModTime().UnixNano(), fi.Mode()))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// sameNames compares the names of a plan with those of the release that followed, and returns the
// lock of that.
func sameNames(t *testing.T, plan *release.Plan, out string) *lock.Lock {
	t.Helper()
	l, err := lock.Read(filepath.Join(out, lock.Name))
	if err != nil {
		t.Fatal(err)
	}
	var given, want, kept, wantKept []string
	for _, n := range plan.Names {
		if n.State == publish.Stays {
			kept = append(kept, n.Reference+" "+n.Reason)
		} else {
			given = append(given, n.Reference)
		}
	}
	for _, i := range l.Images {
		for n, registry := range l.Registries() {
			at, _ := l.At(registry)
			there, _ := at.Image(i.Name)
			for _, name := range there.Names() {
				want = append(want, name.Reference)
			}
			for _, f := range i.FloatingTags {
				if f.Kept != "" && f.Repository == i.Repositories()[n] {
					wantKept = append(wantKept, f.Repository+":"+f.Tag+" "+f.Kept)
				}
			}
		}
	}
	if d := cmp.Diff(want, given); d != "" {
		t.Errorf("the names of the plan differ from those of the release (-release +plan):\n%s", d)
	}
	if d := cmp.Diff(wantKept, kept); d != "" {
		t.Errorf("the tags that stay differ (-release +plan):\n%s", d)
	}
	return l
}

func asJSON(t *testing.T, plan *release.Plan) string {
	t.Helper()
	b, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// states returns the state of each name, with the rest of it.
func states(plan *release.Plan) map[string]publish.Name {
	all := map[string]publish.Name{}
	for _, n := range plan.Names {
		all[n.Reference] = n
	}
	return all
}
