package pin_test

import (
	"context"
	"errors"
	"hash/crc32"
	"math/rand"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/pin"
	"github.com/slipway-dev/slipway/product/references"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/release"
)

// slipwayYAML is the product of these tests. REG is the registry.
const slipwayYAML = `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources:
- {name: here, directory: ., revision: abc, created: 2024-01-01T00:00:00Z}
- {name: theirs, directory: theirs, revision: abc, created: 2024-01-01T00:00:00Z}
programs: [{name: app, source: here, package: .}]
images: [{name: app, bases: {linux: scratch}, go: {program: app}}]
release:
  templates: [{path: config}, {path: config/app.yaml}, {source: here, path: more.yaml}, {source: theirs, path: config.yaml}]
  values: # not of the product
    proxy: {image: "REG/proxy:1.2"}
    tag: 1.2.3
  images: {"REG/was/app": app}
airgap: {images: images.txt, firstImage: "REG/pause:3.10.0"}
destinations:
- {name: one, registry: registry.example/team}
- {name: flat, registry: flat.example, repository: "{{.Product}}-{{.Name}}"}
`

const files = `
-- images.txt --
# Others.

REG/pause:3.10.0   # for every pod
  REG/proxy:1.2
-- config/app.yaml --
#@ load("@ytt:data", "data")
apiVersion: apps/v1
kind: Deployment
metadata: {name: app, annotations: {example: REG/note:1}}
spec:
  template:
    spec:
      containers:
      - name: app
        image: REG/team/demo/app:1.0.0   # the product's own
        args: ["--helper-image", "REG/proxy:1.2", --listen=localhost:8080]
        env:
        - {name: PAUSE_IMAGE, value: 'REG/pause:3.10.0'}
        - {name: PORT, value: "8080"}
      - name: side
        image: "REG/side:v1"
      - #@ if True:
        image: |-
          REG/side:v1
---
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data: {helperImage: REG/proxy:1.2, text: "see REG/proxy:1.2"}
---
apiVersion: v1
kind: Secret
metadata: {name: s}
stringData: {image: "REG/secret:1"}
-- config/notes.txt --
REG/side:v1
-- config/.git/x.yaml --
image: REG/side:v1
-- theirs/.git/HEAD --
-- theirs/config.yaml --
image: REG/side:v1
-- more.yaml --
untagged: {image: REG/side}
ours: {image: REG/demo/app, flat: {image: "REG/me/demo-app:1"}}
digested: {image: "REG/side@sha256:0000000000000000000000000000000000000000000000000000000000000000"}
empty: {image: ""}
template: {image: "{{ .Values.image }}"}
aliased: {image: &side REG/side:v1}
alias: {image: *side}
ko: {image: ko://example.com/demo/cmd/app}
mapped: {image: "REG/was/app:1", untagged: {image: REG/was/app}}
`

// setup writes the product and starts a registry with its images.
func setup(t *testing.T, text string) (dir string, s *registrytest.Server) {
	t.Helper()
	s = registrytest.Serve(t)
	return setupAt(t, s, text), s
}

// setupAt is setup with a registry.
func setupAt(t *testing.T, s *registrytest.Server, text string) (dir string) {
	t.Helper()
	t.Setenv("SLIPWAY_REGISTRY", "")
	dir = t.TempDir()
	for _, ref := range []string{"pause:3.10.0", "proxy:1.2", "side:v1"} {
		push(t, s, ref, "linux/amd64")
	}
	for _, f := range txtar.Parse(
		[]byte(strings.ReplaceAll("-- slipway.yaml --\n"+slipwayYAML+text, "REG", s.Host()))).Files {
		path := filepath.Join(dir, f.Name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// push puts an index over platforms into the registry, and returns its digest.
func push(t *testing.T, s *registrytest.Server, ref string, platforms ...string) string {
	t.Helper()
	repo, tag, _ := strings.Cut(ref, ":")
	var idx v1.ImageIndex = empty.Index
	for _, text := range platforms {
		listed, of, other := strings.Cut(text, " of ") // an image for another platform
		if !other {
			of = listed
		}
		var p, is platform.Platform
		if err := errors.Join(p.UnmarshalText([]byte(listed)), is.UnmarshalText([]byte(of))); err != nil {
			t.Fatal(err)
		}
		img, err := random.Image(100, 1, random.WithSource(rand.NewSource(int64(crc32.ChecksumIEEE([]byte(ref+text))))))
		if err != nil {
			t.Fatal(err)
		}
		cf, err := img.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		cf.OS, cf.Architecture, cf.Variant, cf.OSVersion = is.OS, is.Architecture, is.Variant, is.OSVersion
		if img, err = mutate.ConfigFile(img, cf); err != nil {
			t.Fatal(err)
		}
		idx = mutate.AppendManifests(idx, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: p.V1()}})
	}
	if err := remote.WriteIndex(s.Repo(t, repo).Tag(tag), idx); err != nil {
		t.Fatal(err)
	}
	h, err := idx.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return h.String()
}

// none is for products whose manifests name nothing besides.
func none(context.Context, *product.Product) ([]references.Image, error) { return nil, nil }

// find looks for what to change, and writes it.
func find(t *testing.T, dir string, o pin.Options) (*pin.Result, error) {
	t.Helper()
	return findAt(t, dir, network.Options{Attempts: 1, Wait: time.Millisecond}, o)
}

// findAt is find with a registry that is asked in another way.
func findAt(t *testing.T, dir string, n network.Options, o pin.Options) (*pin.Result, error) {
	t.Helper()
	p, err := product.Load(t.Context(), product.Options{Path: filepath.Join(dir, "slipway.yaml"), Bases: true})
	if err != nil {
		return nil, err
	}
	r, err := pin.Find(t.Context(), p, none, transfer.New(n), o)
	if err == nil {
		err = release.JudgePins(p, r)
	}
	if err != nil {
		return nil, err
	}
	return r, r.Write(t.Context(), nil)
}

// lines lists changes without the directory, the registry and all but 4 digits of a digest.
func lines(r *pin.Result, dir string, s *registrytest.Server) (all []string) {
	short := func(text string) string {
		text = strings.NewReplacer(dir+"/", "", s.Host()+"/", "").Replace(text)
		return regexp.MustCompile(`sha256:[0-9a-f]{64}`).ReplaceAllStringFunc(text, func(d string) string {
			return d[:11]
		})
	}
	for _, c := range r.Changes {
		all = append(all, short(c.Place+" "+c.From+" "+c.To+" "+c.Why))
	}
	for _, k := range r.Kept {
		all = append(all, short(k.Place+" "+k.Reference+" "+k.Reason))
	}
	for _, w := range r.Warnings {
		all = append(all, "warning: "+short(w))
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestPin pins every reference to a third-party image, and nothing else; then there is nothing
// more to do, and no registry is asked.
func TestPin(t *testing.T) {
	dir, s := setup(t, files)
	names := []string{"slipway.yaml", "images.txt", "config/app.yaml", "config/notes.txt", "more.yaml"}
	before := map[string]string{}
	for _, name := range names {
		before[name] = read(t, filepath.Join(dir, name))
	}
	r, err := find(t, dir, pin.Options{})
	if err != nil {
		t.Fatal(err)
	}
	digest := func(ref string) string {
		repo, tag, _ := strings.Cut(ref, ":")
		d, err := remote.Head(s.Repo(t, repo).Tag(tag))
		if err != nil {
			t.Fatal(err)
		}
		return "@" + d.Digest.String()
	}
	pause, proxy, side := s.Host()+"/pause:3.10.0", s.Host()+"/proxy:1.2", s.Host()+"/side:v1"
	all := strings.NewReplacer(pause, pause+digest("pause:3.10.0"), proxy, proxy+digest("proxy:1.2"),
		side, side+digest("side:v1"))
	want := map[string]string{
		// firstImage needs no digest
		"slipway.yaml": strings.Replace(before["slipway.yaml"], proxy, proxy+digest("proxy:1.2"), 1),
		"images.txt":   all.Replace(before["images.txt"]), "config/notes.txt": before["config/notes.txt"],
		"more.yaml": all.Replace(before["more.yaml"]),
		"config/app.yaml": strings.Replace(all.Replace(before["config/app.yaml"]), "see "+proxy+digest("proxy:1.2"),
			"see "+proxy, 1),
	}
	for _, name := range names {
		if d := cmp.Diff(want[name], read(t, filepath.Join(dir, name))); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for _, c := range r.Changes {
		if c.Why != pin.NotPinned {
			t.Errorf("%+v", c)
		}
	}
	if len(r.Changes) != 9 || len(r.Kept) != 1 || r.Kept[0].Place != filepath.Join(dir, "more.yaml")+":1:19" {
		t.Errorf("got %q", lines(r, dir, s))
	}
	s.Reset()
	r, err = find(t, dir, pin.Options{})
	if calls, _ := s.Reset(); err != nil || len(r.Changes) > 0 || len(calls) > 0 {
		t.Errorf("the second time: %q, %v, requests %v", lines(r, dir, s), err, calls)
	}
}

// TestTaken gives a reference the digest that another file has, wherever the tag is now.
func TestTaken(t *testing.T) {
	dir, s := setup(t, files)
	old := push(t, s, "side:v1", "linux/amd64")
	list := filepath.Join(dir, "images.txt")
	if err := os.WriteFile(list, []byte(read(t, list)+s.Host()+"/side:v1@"+old+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	push(t, s, "side:v1", "linux/amd64")
	if _, err := find(t, dir, pin.Options{}); err != nil ||
		strings.Count(read(t, filepath.Join(dir, "config/app.yaml")), "side:v1@"+old) != 2 {
		t.Errorf("got %s, %v", read(t, filepath.Join(dir, "config/app.yaml")), err)
	}
	more := filepath.Join(dir, "more.yaml")
	other := "sha256:" + strings.Repeat("1", 64)
	if err := os.WriteFile(more, []byte("image: "+s.Host()+"/side:v1@"+other+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := find(t, dir, pin.Options{}); err == nil || err.Error() != more+":1:8: "+s.Host()+
		"/side:v1 is pinned here at "+other+", and at "+old+" elsewhere: run slipway pin -update, which renews both" {
		t.Errorf("two digests: %v", err)
	}
	if r, err := find(t, dir, pin.Options{Update: true}); err != nil || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "the registry no longer has "+s.Host()+"/side@"+other) {
		t.Errorf("two digests, renewed: %+v, %v", r, err)
	}
	if strings.Contains(read(t, more), other) {
		t.Error("the digest was not renewed")
	}
}

// TestUpdate renews digests of tags that have moved, and names the Windows build that is lost.
func TestUpdate(t *testing.T) {
	dir, s := setup(t, files)
	push(t, s, "pause:3.10.0", "linux/amd64", "windows/amd64:10.0.17763.1",
		"windows/amd64:10.0.20348.1")
	if _, err := find(t, dir, pin.Options{}); err != nil {
		t.Fatal(err)
	}
	push(t, s, "pause:3.10.0", "linux/amd64", "windows/amd64:10.0.20348.2")
	if r, err := find(t, dir, pin.Options{}); err != nil || len(r.Changes) > 0 {
		t.Errorf("without an update: %q, %v", lines(r, dir, s), err)
	}
	r, err := find(t, dir, pin.Options{Update: true})
	if err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`sha256:[0-9a-f]{4}`).ReplaceAllString(strings.Join(lines(r, dir, s), "\n"), "D")
	if want := `images.txt:3:1 pause:3.10.0@D pause:3.10.0@D tag moved
config/app.yaml:13:38 pause:3.10.0@D pause:3.10.0@D tag moved
more.yaml:1:19 side it has neither tag nor digest: write the tag that is meant
warning: images.txt:3:1: pause:3.10.0@D: pause:3.10.0@D has an entry for ` +
		`windows/amd64:10.0.17763.1, and this image does not; instead: an image for the platform, or a word about ` +
		`its end in the release's notes, and an entry of -allow or lint.allow [index-platform-lost]`; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestBroken has a tag that has moved to an index that nodes of the product choose wrongly from:
// nothing is written, unless slipway.yaml allows it. What other nodes choose from does not count.
func TestBroken(t *testing.T) {
	dir, s := setup(t, files)
	push(t, s, "pause:3.10.0", "linux/amd64", "windows/amd64:10.0.20348.1")
	if _, err := find(t, dir, pin.Options{}); err != nil {
		t.Fatal(err)
	}
	digest := push(t, s, "pause:3.10.0", "linux/amd64", "windows/amd64", "windows/amd64")
	before := read(t, filepath.Join(dir, "images.txt"))
	path := filepath.Join(dir, "slipway.yaml")
	windows := strings.Replace(read(t, path), "[linux/amd64]", "[linux/amd64, \"windows/amd64:ltsc2022\"]", 1)
	windows = strings.Replace(windows, "{linux: scratch}", "{linux: scratch, windows: scratch}", 1)
	allowed := windows + "lint: {allow: [{rule: index-os-version, object: \"" + s.Host() + "/pause\", reason: ours}]}\n"
	linux := read(t, path)
	for text, ok := range map[string]bool{windows: false, allowed: true, linux: true} {
		for name, old := range map[string]string{"slipway.yaml": text, "images.txt": before} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(old), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		_, err := find(t, dir, pin.Options{Update: true})
		if (err == nil) != ok || err != nil && strings.Count(err.Error(), "images.txt:3:1: "+s.Host()+"/pause:3.10.0@"+
			digest+": windows/amd64: manifests[") != 2 {
			t.Errorf("with\n%s\ngot %v", text, err)
		}
		if strings.Contains(read(t, filepath.Join(dir, "images.txt")), digest) != ok {
			t.Errorf("with\n%s\nimages.txt has the new digest: %v", text, !ok)
		}
	}
}

// TestBrokenInside: a tag that has moved to, or that is pinned for the first time at, an image that
// is for another platform than its index says.
func TestBrokenInside(t *testing.T) {
	for _, pinned := range []bool{true, false} {
		dir, s := setup(t, files)
		o := pin.Options{Update: true}
		if pinned {
			if _, err := find(t, dir, pin.Options{}); err != nil {
				t.Fatal(err)
			}
		}
		before := read(t, filepath.Join(dir, "images.txt"))
		digest := push(t, s, "pause:3.10.0", "linux/amd64 of linux/arm64")
		_, err := find(t, dir, o)
		if err == nil || !strings.Contains(err.Error(), "@"+digest+": linux/amd64: manifests[0]: the image is for linux/arm64") {
			t.Errorf("pinned %v: %v", pinned, err)
		}
		if read(t, filepath.Join(dir, "images.txt")) != before {
			t.Errorf("pinned %v: images.txt has changed", pinned)
		}
	}
}

// TestArtifact: an artifact in a list of images is not pinned.
func TestArtifact(t *testing.T) {
	dir, s := setup(t, files)
	img, err := random.Image(100, 1)
	if err != nil {
		t.Fatal(err)
	}
	artifact := mutate.ConfigMediaType(mutate.MediaType(img, types.OCIManifestSchema1), "application/vnd.example+json")
	if err := remote.Write(s.Repo(t, "pause").Tag("3.10.0"), artifact); err != nil {
		t.Fatal(err)
	}
	before := read(t, filepath.Join(dir, "images.txt"))
	_, err = find(t, dir, pin.Options{Update: true})
	if err == nil || !strings.Contains(err.Error(), "it is an artifact, and no image") {
		t.Error(err)
	}
	if read(t, filepath.Join(dir, "images.txt")) != before {
		t.Error("images.txt has changed")
	}
}

// TestIncomplete has a tag that has moved to an image of which the registry lacks a part.
func TestIncomplete(t *testing.T) {
	dir, s := setup(t, files)
	if _, err := find(t, dir, pin.Options{}); err != nil {
		t.Fatal(err)
	}
	digest := push(t, s, "pause:3.10.0", "linux/amd64", "windows/amd64:10.0.20348.2")
	s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		lost := q.Method == http.MethodGet && strings.HasSuffix(q.URL.Path, digest)
		if lost {
			registrytest.Lacks(w)
		}
		return lost
	})
	want := filepath.Join(dir, "images.txt") + ":3:1: the registry lacks a part of " + s.Host() +
		"/pause@" + digest + ", which " + s.Host() + "/pause:3.10.0 refers to: run again once it is complete"
	if _, err := find(t, dir, pin.Options{Update: true}); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
	if strings.Contains(read(t, filepath.Join(dir, "images.txt")), digest) {
		t.Error("images.txt has changed")
	}
}

// TestNewer raises tags, also that of the image that comes first, which is one of images.txt.
func TestNewer(t *testing.T) {
	dir, s := setup(t, files)
	for _, ref := range []string{
		"pause:3.10.2", "pause:3.11.0", "pause:latest", "pause:3.12.0-rc.1",
		"proxy:1.3", "side:v2",
	} {
		push(t, s, ref, "linux/amd64")
	}
	r, err := find(t, dir, pin.Options{Newer: imagetag.Patch})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(lines(r, dir, s), "\n")
	for _, want := range []string{
		"images.txt:3:1 pause:3.10.0 pause:3.10.2@sha256:", " newer patch\n",
		"images.txt:4:3 proxy:1.2 proxy:1.2@sha256:", "slipway.yaml:16:42 pause:3.10.0 pause:3.10.2 newer patch",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	}
	if r, err = find(t, dir, pin.Options{Newer: imagetag.Minor}); err != nil {
		t.Fatal(err)
	}
	got = strings.Join(lines(r, dir, s), "\n")
	for _, want := range []string{"pause:3.11.0@sha256:", " newer minor\n", " proxy:1.3@sha256:"} {
		if !strings.Contains(got, want) || strings.Contains(got, "side:v2") {
			t.Errorf("got\n%s\nwant %s", got, want)
		}
	}
	if r, err = find(t, dir, pin.Options{Newer: imagetag.Minor, Update: true}); err != nil || len(r.Changes) > 0 {
		t.Errorf("once more: %q, %v", lines(r, dir, s), err)
	}
}

// TestMoved follows a repository to its new address: for a newer tag, or else for the same one, but
// not away from a newer one, and only if it is there.
func TestMoved(t *testing.T) {
	moves := func(s *registrytest.Server) []pin.Move { return []pin.Move{{s.Host() + "/", s.Host() + "/v2/"}} }
	for name, tc := range map[string]struct {
		tags []string
		want string
	}{
		"newer":     {[]string{"pause:3.10.1", "v2/pause:3.10.2"}, "pause:3.10.0 v2/pause:3.10.2@sha256: newer patch"},
		"same tag":  {[]string{"v2/pause:3.10.0"}, "pause:3.10.0 v2/pause:3.10.0@sha256: repository moved"},
		"as new":    {[]string{"pause:3.10.1", "v2/pause:3.10.1"}, "pause:3.10.0 v2/pause:3.10.1@sha256: newer patch"},
		"behind":    {[]string{"pause:3.10.2", "v2/pause:3.10.1"}, "pause:3.10.0 pause:3.10.2@sha256: newer patch"},
		"older":     {[]string{"v2/pause:3.9.0"}, "pause:3.10.0 pause:3.10.0@sha256: not pinned"},
		"not there": {nil, "pause:3.10.0 pause:3.10.0@sha256: not pinned"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, s := setup(t, files)
			for _, ref := range tc.tags {
				push(t, s, ref, "linux/amd64")
			}
			r, err := find(t, dir, pin.Options{Newer: imagetag.Patch, Moves: moves(s)})
			if err != nil {
				t.Fatal(err)
			}
			got := regexp.MustCompile(`sha256:[0-9a-f]{4}`).ReplaceAllString(strings.Join(lines(r, dir, s), "\n"), "sha256:")
			if !strings.Contains(got, "images.txt:3:1 "+tc.want+"\n") {
				t.Errorf("got\n%s\nwant %s", got, tc.want)
			}
			if r, err = find(t, dir, pin.Options{Newer: imagetag.Patch, Moves: moves(s)}); err != nil || len(r.Changes) > 0 {
				t.Errorf("once more: %q, %v", lines(r, dir, s), err)
			}
		})
	}
}

// TestMovedLacks compares the platforms at the old address with those at the new one.
func TestMovedLacks(t *testing.T) {
	dir, s := setup(t, files)
	push(t, s, "pause:3.10.0", "linux/amd64", "windows/amd64:10.0.20348.1")
	if _, err := find(t, dir, pin.Options{}); err != nil {
		t.Fatal(err)
	}
	push(t, s, "v2/pause:3.10.1", "linux/amd64")
	r, err := find(t, dir, pin.Options{
		Newer: imagetag.Patch, Moves: []pin.Move{{From: s.Host() + "/", To: s.Host() + "/v2/"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "/v2/pause:3.10.1@sha256:") ||
		!strings.Contains(r.Warnings[0], ": "+s.Host()+"/pause:3.10.0@") ||
		!strings.Contains(r.Warnings[0], " has an entry for windows/amd64:10.0.20348.1, and this image does not") {
		t.Errorf("the warnings are %q", r.Warnings)
	}
}

// TestMoves checks the table: no address leads to another one of it.
func TestMoves(t *testing.T) {
	for _, a := range pin.Moves {
		for _, b := range pin.Moves {
			if strings.HasPrefix(a.To, b.From) && !strings.HasPrefix(a.To, b.To) {
				t.Errorf("%s leads to %s, which has moved to %s", a.From, a.To, b.To)
			}
		}
		if !strings.HasSuffix(a.From, "/") || !strings.HasSuffix(a.To, "/") {
			t.Errorf("%+v: one has no slash at its end", a)
		}
	}
}

// TestNewerOfSeveral has two versions of one image in images.txt, both of which are meant: only the
// newer one is raised.
func TestNewerOfSeveral(t *testing.T) {
	dir, s := setup(t,
		strings.Replace(files, "REG/proxy:1.2\n", "REG/proxy:1.2\nREG/proxy:1.4\nREG/proxy:1.5-rc1\n", 1))
	for _, ref := range []string{"proxy:1.4", "proxy:1.5-rc1"} {
		push(t, s, ref, "linux/amd64")
	}
	r, err := find(t, dir, pin.Options{Newer: imagetag.Minor})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(lines(r, dir, s), "\n"); !strings.Contains(got,
		"images.txt:4:3 proxy:1.2 images.txt:5:1 has 1.4") || strings.Contains(got, "newer minor") {
		t.Errorf("got\n%s", got)
	}
	push(t, s, "proxy:1.5", "linux/amd64")
	before := read(t, filepath.Join(dir, "images.txt"))
	_, err = find(t, dir, pin.Options{Newer: imagetag.Minor})
	if err == nil ||
		!regexp.MustCompile(
			`images\.txt:6:1: \S+/proxy:1\.5-rc1@\S+ and \S+/proxy:1\.4@\S+ of line 5 both become \S+/proxy:1\.5: take one of them out$`).MatchString(err.Error()) {
		t.Errorf("two that become one: %v", err)
	}
	if read(t, filepath.Join(dir, "images.txt")) != before {
		t.Error("images.txt has changed")
	}
}

// TestFails reports every image that a registry does not give, and every file that cannot be read
// or changed; nothing is written then.
func TestFails(t *testing.T) {
	for what, tc := range map[string]struct {
		old, new string // in the files
		disturb  string // part of the path of requests that are refused
		o        pin.Options
		want     []string
	}{
		"missing": {
			old: "REG/side:v1", new: "REG/none:v1",
			want: []string{"config/app.yaml:16:16: REG/none:v1 is not in its registry: " +
				"correct the name, or take it out"},
		},
		"refused": {disturb: "/manifests/", want: []string{
			"images.txt:3:1: looking at REG/pause:3.10.0: ",
			"images.txt:4:3: looking at REG/proxy:1.2: ", "config/app.yaml:16:16: looking at REG/side:v1: ",
		}},
		"no list": {
			disturb: "/pause/tags/list", o: pin.Options{Newer: imagetag.Patch},
			want: []string{"images.txt:3:1: listing the tags of REG/pause: "},
		},
		"escaped": {
			old: `"REG/side:v1"`, new: `"REG/side:\x761"`,
			want: []string{"config/app.yaml:16:16: REG/side:v1 cannot be replaced in place: " +
				"use a plain or quoted scalar without escapes"},
		},
		"no YAML": {old: "untagged: {", new: "untagged: [{", want: []string{"more.yaml:"}},
		"Helm": {
			old: "untagged: {", new: "{{- if .Values.x }}\nuntagged: {",
			want: []string{"more.yaml:1:1: this is a Helm template, not YAML"},
		},
		"character": {
			old: "untagged:", new: "untagged\x01:",
			want: []string{"more.yaml:1:9: control character U+0001: take it out"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			dir, s := setup(t, replaced(files, tc.old, tc.new))
			s.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
				refused := tc.disturb != "" && strings.Contains(q.URL.Path, tc.disturb)
				if refused {
					w.WriteHeader(http.StatusForbidden)
				}
				return refused
			})
			before := read(t, filepath.Join(dir, "images.txt"))
			_, err := find(t, dir, tc.o)
			if err == nil {
				t.Fatal("no error")
			}
			got := strings.NewReplacer(dir+"/", "", s.Host(), "REG").Replace(err.Error())
			errs := strings.Split(got, "\n")
			if len(errs) != len(tc.want) {
				t.Fatalf("got %q, want %q", errs, tc.want)
			}
			for n, want := range tc.want {
				if !strings.HasPrefix(errs[n], want) {
					t.Errorf("got %s, want %s", errs[n], want)
				}
			}
			if read(t, filepath.Join(dir, "images.txt")) != before {
				t.Error("images.txt has changed")
			}
		})
	}
}

// replaced replaces a text that is not empty.
func replaced(text, old, with string) string {
	if old == "" {
		return text
	}
	return strings.ReplaceAll(text, old, with)
}
