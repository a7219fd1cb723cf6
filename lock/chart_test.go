package lock_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/lock"
)

func withChart() *lock.Lock {
	l := example()
	l.Registry, l.Copies = "registry.example/a", []string{"ghcr.io/me"}
	for n := range l.Images {
		l.Images[n].Repository, l.Images[n].Copies = "registry.example/a/"+l.Images[n].Name,
			[]string{"ghcr.io/me/" + l.Images[n].Name}
	}
	l.Charts = []lock.Chart{{
		Name: "app", Version: "1.2.3+build.4", AppVersion: "v1.2.3", Repository: "registry.example/a/charts/app",
		Copies: []string{"ghcr.io/me/charts/app"},
		Tags:   []string{"1.2.3_build.4"},
		FloatingTags: []lock.FloatingTag{
			{Tag: "latest", Repository: "registry.example/a/charts/app"},
			{Tag: "latest", Repository: "ghcr.io/me/charts/app", Kept: "it names a newer one"},
		},
		MediaType: types.OCIManifestSchema1, Digest: hash("a"), Size: 700,
		File: lock.ChartFile{Name: "app-1.2.3+build.4.tgz", Digest: hash("b"), Size: 7000},
	}}
	return l
}

// TestChartNames lists the names of a chart in both registries, and reads back what was written.
func TestChartNames(t *testing.T) {
	l := withChart()
	b, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := lock.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l.Charts, got.Charts); d != "" {
		t.Error(d)
	}
	all := l.Published()
	chart := all[len(all)-1]
	if len(all) != len(l.Images)+1 || chart.Kind != lock.KindChart {
		t.Errorf("the last that is published is %+v", chart)
	}
	if want := []string{
		"registry.example/a/charts/app:1.2.3_build.4", "registry.example/a/charts/app:latest",
		"ghcr.io/me/charts/app:1.2.3_build.4",
	}; !slices.Equal(chart.References(), want) {
		t.Errorf("the names are %q, want %q", chart.References(), want)
	}
	at, ok := l.At("ghcr.io/me")
	if !ok || at.Charts[0].Repository != "ghcr.io/me/charts/app" || at.Charts[0].Copies != nil ||
		len(at.Charts[0].FloatingTags) != 1 {
		t.Errorf("at the copy the chart is %+v", at.Charts)
	}
	if l.Charts[0].Repository != "registry.example/a/charts/app" {
		t.Error("At changed the lock")
	}
	if _, found := l.Catalog().FindTagged("registry.example/a/charts/app:1.2.3_build.4"); found {
		t.Error("a manifest may name the chart as an image")
	}
}

// TestChartCheck reads locks whose charts Helm would not find, or that lead elsewhere.
func TestChartCheck(t *testing.T) {
	for want, change := range map[string]func(*lock.Chart){
		`chart "app": "../app.tgz" is not a file name`: func(c *lock.Chart) {
			c.File.Name = "../app.tgz"
		},
		`chart "app": none of its tags is "1.2.4"`:                     func(c *lock.Chart) { c.Version = "1.2.4" },
		`chart "App": registry.example/a/charts/app does not end with`: func(c *lock.Chart) { c.Name = "App" },
		`chart "app": ghcr.io/me/chart does not end with its name`: func(c *lock.Chart) {
			c.Copies[0] = "ghcr.io/me/chart"
		},
		`chart "app": "ghcr.io/../charts/app:1.2.3_build.4" is not`: func(c *lock.Chart) {
			c.Copies[0] = "ghcr.io/../charts/app"
		},
	} {
		l := withChart()
		change(&l.Charts[0])
		b, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := lock.Decode(bytes.NewReader(b)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
