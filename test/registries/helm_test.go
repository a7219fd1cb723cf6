package registries

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/slipway-dev/slipway/render/engines"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/crane"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render/chart"
)

// helmed runs Helm without the user's settings.
type helmed struct {
	t    *testing.T
	path string
	home string
}

func newHelm(t *testing.T) helmed {
	t.Helper()
	return helmed{t, testprog.Built(t, "helm", "helm"), t.TempDir()}
}

// run returns what Helm writes to its standard output.
func (h helmed) run(args ...string) string {
	h.t.Helper()
	cmd := exec.CommandContext(h.t.Context(), h.path, args...)
	cmd.Dir = h.home
	cmd.Env = []string{"HOME=" + h.home, "PATH=" + os.Getenv("PATH"), "KUBECONFIG=" + filepath.Join(h.home, "none")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		h.t.Fatalf("helm %s: %v\n%s%s", strings.Join(args, " "), err, out, errs.Bytes())
	}
	return string(out)
}

// withChart publishes a release with a chart, and packs it.
func withChart(t *testing.T, registries ...string) (l *lock.Lock, packed string) {
	t.Helper()
	p, st, built := cut(t)
	p.Registry = registries[0]
	for _, r := range registries {
		p.Destinations = append(p.Destinations, product.Destination{Registry: r})
	}
	for n := range p.Images {
		for range registries[1:] {
			p.Images[n].Repositories = append(p.Images[n].Repositories, p.Images[n].Repositories[0])
		}
	}
	o := network.Options{Wait: time.Millisecond}
	p.Charts = []product.Chart{{
		Repositories: []string{"demo/charts/app", "demo/charts/app"},
		Tags:         []string{"0.1.0_build.1"}, FloatingTags: []string{"latest"},
	}}
	for range 2 { // the second time, nothing is sent
		r, err := publish.Prepare(t.Context(), p, st, storetest.Built(built), o)
		if err != nil {
			t.Fatal(err)
		}
		l = r.Lock
		c, err := chart.Read("app", bytes.NewReader(storetest.Chart(t, l, "app", "0.1.0+build.1")))
		if err != nil {
			t.Fatal(err)
		}
		a, err := c.Artifact(l.Created, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.AddCharts([]*chart.Artifact{a}); err != nil {
			t.Fatal(err)
		}
		if err := r.Push(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := publish.Move(t.Context(), st, l, o); err != nil {
		t.Fatal(err)
	}
	files, _, err := airgap.Pack(t.Context(), st, l, []airgap.Target{{Name: "demo-images"}},
		airgap.PackOptions{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return l, files[0].Path
}

var imageLine = regexp.MustCompile(`(?m)^ +image: "?([^"\n]*)"?$`)

// TestHelm pulls a chart from both registries of a release, and from a third one that its bundle
// was pushed to, with the helm command: it makes the images by digest that are there.
func TestHelm(t *testing.T) {
	t.Parallel()
	h := newHelm(t)
	first, second, third := distribution3(t, false, false), debian(t, false), distribution3(t, false, false)
	l, packed := withChart(t, first.host+"/a", second.host+"/b")
	b, err := bundle.Open(packed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() }) //nolint:errcheck // opened to read
	pushed, err := airgap.Push(t.Context(), []*bundle.Bundle{b},
		airgap.PushOptions{Snapshot: true, To: third.host + "/mirror", Registry: network.Options{Wait: time.Millisecond}})
	if err != nil {
		t.Fatal(err)
	}
	_, renamed, _ := strings.Cut(pushed.Charts[0].Reference, "@")
	h.check(l, first.host+"/a", first.host+"/a", l.Charts[0].Digest.String())
	h.check(l, second.host+"/b", first.host+"/a", l.Charts[0].Digest.String())
	h.check(l, third.host+"/mirror/a", third.host+"/mirror/a", renamed)
	h.push(l, "oci://"+first.host+"/a/demo/charts/app", second.host+"/pushed")
}

// check pulls a chart from a registry, where it has a digest, and renders it, which gives images of
// another registry.
func (h helmed) check(l *lock.Lock, at, images, digest string) {
	h.t.Helper()
	ref := "oci://" + at + "/demo/charts/app"
	if out := h.run("pull", ref, "--version", "0.1.0+build.1", "--plain-http",
		"-d", h.t.TempDir()); !strings.Contains(out, digest) {
		h.t.Errorf("%s is not %s:\n%s", ref, digest, out)
	}
	if d, err := crane.Digest(strings.TrimPrefix(ref, "oci://")+":latest", crane.Insecure); err != nil || d != digest {
		h.t.Errorf("%s:latest is %s, %v, want %s", ref, d, err, digest) // Helm takes versions only
	}
	var want, got []string
	for _, i := range l.Images {
		name := images + strings.TrimPrefix(i.Repository, l.Registry) + "@" + i.Digest.String()
		want = append(want, name, name)
	}
	for _, m := range imageLine.FindAllStringSubmatch(h.run("template", "x", ref, "--plain-http"), -1) { // the newest
		got = append(got, m[1])
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(want, got) {
		h.t.Errorf("%s makes the images\n%s\nwant\n%s", ref, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if out := h.run("show", "values", ref, "--plain-http", "--version", "0.1.0+build.1"); !strings.Contains(out,
		"# of all platforms") {
		h.t.Errorf("the values are\n%s", out)
	}
	h.run("install", "x", ref, "--plain-http", "--dry-run=client")
	if out := h.run("template", "x", ref, "--plain-http", "--set", "plain.agent=other:1"); !strings.Contains(out,
		"image: other:1") {
		h.t.Errorf("a value that is overridden gives\n%s", out)
	}
}

// push pushes a chart with Helm, and compares what that makes of it with what publish has made.
func (h helmed) push(l *lock.Lock, ref, to string) {
	h.t.Helper()
	dir := h.t.TempDir()
	h.run("pull", ref, "--plain-http", "-d", dir)
	file := filepath.Join(dir, l.Charts[0].File.Name)
	if err := os.Chtimes(file, l.Created, l.Created); err != nil { // which Helm takes for the time of the chart
		h.t.Fatal(err)
	}
	h.run("push", file, "oci://"+to, "--plain-http")
	read := func(name string) v1.Manifest {
		h.t.Helper()
		raw, err := crane.Manifest(name, crane.Insecure)
		if err != nil {
			h.t.Fatal(err)
		}
		var m v1.Manifest
		if err := json.Unmarshal(raw, &m); err != nil {
			h.t.Fatal(err)
		}
		return m
	}
	want, got := read(to+"/app:0.1.0_build.1"), read(l.Charts[0].Image().Tagged())
	want.MediaType = got.MediaType // which Helm leaves out
	if at, err := time.Parse(time.RFC3339, want.Annotations["org.opencontainers.image.created"]); err == nil {
		want.Annotations["org.opencontainers.image.created"] = at.UTC().Format(time.RFC3339)
	}
	if d := cmp.Diff(want, got); d != "" {
		h.t.Errorf("the manifest (-helm +slipway):\n%s", d)
	}
}
