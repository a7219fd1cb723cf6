//go:build !race

package publish_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render/chart"
	_ "github.com/slipway-dev/slipway/render/chart/engine"
)

// artifactOf makes a chart that names the images of l.
func artifactOf(t *testing.T, l *lock.Lock, version string) []*chart.Artifact {
	t.Helper()
	c, err := chart.Read("app", bytes.NewReader(storetest.Chart(t, l, "app", version)))
	if err != nil {
		t.Fatal(err)
	}
	a, err := c.Artifact(l.Created, nil)
	if err != nil {
		t.Fatal(err)
	}
	return []*chart.Artifact{a}
}

// TestCharts publishes a chart to two registries, which get it after the images and by one digest;
// once more, nothing is sent; and a tag of another chart is a conflict.
func TestCharts(t *testing.T) {
	p, st, built := cut(t, 100)
	one, two := registrytest.Serve(t), registrytest.Serve(t)
	p.Registry, p.Destinations = one.Host()+"/a",
		[]product.Destination{{Registry: one.Host() + "/a"}, {Registry: two.Host()}}
	for n := range p.Images {
		p.Images[n].Repositories = append(p.Images[n].Repositories, p.Images[n].Repositories[0])
	}
	p.Charts = []product.Chart{{
		Repositories: []string{"demo/charts/app", "helm/app"},
		Tags:         []string{"0.2.0", "stable-0.2"}, FloatingTags: []string{"latest"},
	}}
	charts := func(l *lock.Lock) []*chart.Artifact { return artifactOf(t, l, "0.2.0") }
	l, err := withCharts(t, p, st, built, quick, charts)
	if err != nil {
		t.Fatal(err)
	}
	c := l.Charts[0]
	if c.Repository != one.Host()+"/a/demo/charts/app" || !slices.Equal(c.Copies, []string{two.Host() + "/helm/app"}) ||
		c.File.Name != "app-0.2.0.tgz" || len(c.FloatingTags) != 2 {
		t.Errorf("the lock has %+v", c)
	}
	for _, ref := range []string{c.Repository + ":0.2.0", c.Copies[0] + ":stable-0.2"} {
		r, err := name.ParseReference(ref)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := remote.Head(r); err != nil || d.Digest != c.Digest {
			t.Errorf("%s is %v, want %s: %v", ref, d, c.Digest, err)
		}
	}
	if n := one.Count("PUT", "/manifests/latest"); n != 0 {
		t.Error("a floating tag moved before all else was done")
	}
	if err := publish.Move(t.Context(), st, l, quick); err != nil {
		t.Fatal(err)
	}
	if n := one.Count("PUT", "/a/demo/charts/app/manifests/latest"); n != 1 {
		t.Errorf("latest was put %d times", n)
	}
	one.Reset()
	two.Reset()
	before := l.Charts[0]
	if l, err = withCharts(t, p, st, built, quick, charts); err != nil {
		t.Fatal(err)
	}
	if n := one.Count("P", "") + two.Count("P", ""); n != 0 {
		t.Errorf("the second time, %d requests wrote", n)
	}
	if b, err := l.Encode(); err != nil || l.Charts[0].Digest != before.Digest {
		t.Errorf("the second lock is %s: %v", b, err)
	}
	if d, ok, err := st.Resolve(c.Repository + ":latest"); err != nil || !ok || d.Digest != c.Digest {
		t.Errorf("the store's index has %v %v %v", d, ok, err)
	}

	// Another chart of that version: the registries refuse, and get nothing.
	one.Reset()
	_, err = withCharts(t, p, st, built, quick, func(l *lock.Lock) []*chart.Artifact {
		other := *l
		other.Version = "1.2.4"
		return artifactOf(t, &other, "0.2.0")
	})
	if err == nil ||
		!strings.Contains(err.Error(), "publishing chart "+c.Repository+":0.2.0: the tag is "+c.Digest.String()+
			" already") || !strings.Contains(err.Error(), "raise its version") {
		t.Errorf("the error is %v", err)
	}
	if n := one.Count("P", ""); n != 0 {
		t.Errorf("%d requests wrote in spite of the conflict", n)
	}
}

// TestChartNames previews the names of a chart: new, there, and taken by an image.
func TestChartNames(t *testing.T) {
	p, st, built := cut(t, 100)
	r := registrytest.Serve(t)
	p.Registry = r.Host()
	p.Charts = []product.Chart{{
		Repositories: []string{"demo/charts/app"}, Tags: []string{"0.2.0"},
		FloatingTags: []string{"latest"},
	}}
	if _, err := publish.CheckAccess(t.Context(), p, st, quick); err != nil {
		t.Fatal(err)
	}
	l, err := publish.Publish(t.Context(), p, st, storetest.Built(built), quick)
	if err != nil {
		t.Fatal(err)
	}
	made := artifactOf(t, l, "0.2.0")
	look := func(annotations map[string]string) publish.Name {
		t.Helper()
		at := *l
		at.Images, at.Charts = nil, publish.ChartNames(p, made)
		names, err := publish.Preview(t.Context(),
			p, &at, []publish.Expected{{Annotations: annotations, Stamp: imagetag.Stamp{Version: "0.2.0"}}}, quick)
		if err != nil || len(names) != 2 || names[0].Chart != "app" || names[0].Image != "" {
			t.Fatalf("the names are %+v, %v", names, err)
		}
		return names[0]
	}
	if n := look(made[0].Annotations); n.State != publish.New {
		t.Errorf("at first it is %+v", n)
	}
	if _, err := withCharts(t, p, st, built, quick, func(*lock.Lock) []*chart.Artifact { return made }); err != nil {
		t.Fatal(err)
	}
	if n := look(made[0].Annotations); n.State != publish.There {
		t.Errorf("then it is %+v", n)
	}
	if n := look(map[string]string{"org.opencontainers.image.version": "0.3.0"}); n.State != publish.Refused {
		t.Errorf("of another version it is %+v", n)
	}
	p.Charts[0].Repositories, p.Charts[0].Tags = []string{"demo/lifecycle"}, []string{"1.2.3"}
	if n := look(made[0].Annotations); n.State != publish.Refused ||
		n.Reason != "it is not a chart, which this release will be" {
		t.Errorf("where an image is, it is %+v", n)
	}
}

// TestSnapshotChart publishes a chart to the embedded registry.
func TestSnapshotChart(t *testing.T) {
	p, st, built := cut(t, 100)
	p.Charts = []product.Chart{{Repositories: []string{"demo/charts/app"}, Tags: []string{"0.2.0"}}}
	l, err := withCharts(t, p, st, built, network.Options{}, func(l *lock.Lock) []*chart.Artifact {
		return artifactOf(t, l, "0.2.0")
	})
	if err != nil || l.Charts[0].Image().Tagged() != "slipway.local/demo/charts/app:0.2.0" {
		t.Fatalf("the charts are %+v: %v", l.Charts, err)
	}
	if _, complete, err := st.Tree(l.Charts[0].Image().Descriptor()); !complete || err != nil {
		t.Errorf("the store lacks the chart: %v", err)
	}
}
