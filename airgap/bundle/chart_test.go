package bundle_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// TestChart packs a release with a chart: the bundle for all platforms has it, where no program
// that imports images sees it, and every operation of the bundle keeps it.
func TestChart(t *testing.T) {
	st, l := bundletest.Demo(t, 2000)
	storetest.AddChart(t, st, l, "slipway.local/demo/charts/app", "1.2.3")
	chart := &l.Charts[0]
	chart.Referrers = []oci.Referrer{bundletest.Attached(t, st, "application/x-signature", "of the chart",
		"", chart.Image().Descriptor())}
	dir := t.TempDir()
	files := bundletest.Pack(t, st, l, dir, bundletest.Targets(t)...)
	for _, f := range files {
		c, err := bundle.Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		if c.Platform.IsZero() {
			want = 2 // names
		}
		if _, charts := c.Count(); charts != want {
			t.Errorf("%s has %d names of charts, want %d", f.Path, charts, want)
		}
		if r := bundletest.Verify(t, f.Path, bundle.VerifyOptions{Compare: airgap.Compare(l)}); len(r.Problems) > 0 {
			t.Errorf("%s: %v", f.Path, r.Problems)
		}
	}
	all := files[len(files)-1]
	unseen(t, all, chart.Digest)

	b := bundletest.Opened(t, all.Path)
	tgz := filepath.Join(dir, "app.tgz")
	x, err := b.Extract(t.Context(), chart.Repository+":1.2.3", bundle.ExtractOptions{To: tgz})
	if err != nil || x.Format != bundle.FormatChart {
		t.Fatalf("extracting the chart: %+v, %v", x, err)
	}
	if got, err := os.ReadFile(tgz); err != nil || !bytes.Equal(got, bundletest.Read(t, st, chart.File.Digest)) {
		t.Errorf("the extracted chart has %d bytes, the file of the lock %d: %v", len(got), chart.File.Size, err)
	}
	if x, err := b.Extract(t.Context(), chart.Image().Reference(),
		bundle.ExtractOptions{To: filepath.Join(dir, "layout")}); err != nil || x.Referrers != 1 ||
		x.Digest != chart.Digest {
		t.Errorf("extracting a layout: %+v, %v", x, err)
	}
	for to, o := range map[string]bundle.ExtractOptions{
		"ends in .tgz":             {To: filepath.Join(dir, "app.tar")},
		"the format chart":         {To: filepath.Join(dir, "app"), Format: bundle.FormatChart},
		"or for a chart chart":     {To: filepath.Join(dir, "app"), Format: "zip"},
		"a docker-archive cannot ": {To: filepath.Join(dir, "app.tar"), Format: bundle.FormatDocker},
	} {
		_, err := b.Extract(t.Context(), chart.Repository+":1.2.3", o)
		bundletest.Says(t, err, to)
	}

	v, err := bundle.Split(t.Context(), all.Path,
		bundle.SplitOptions{MaxSize: 60_000, Dir: filepath.Join(dir, "volumes")})
	if err != nil {
		t.Fatal(err)
	}
	if last := v.Volumes[len(v.Volumes)-1]; len(v.Volumes) < 2 || !slices.ContainsFunc(v.Volumes,
		func(v bundle.Volume) bool { return slices.Contains(v.Images, chart.Repository+":latest") }) {
		t.Errorf("the volumes are %+v, the last %+v", v.Volumes, last)
	}

	// The next version has another chart; the delta has it, and rebuilds the bundle.
	next := bundletest.Later(t, st, l)
	next.Charts = nil
	storetest.AddChart(t, st, next, chart.Repository, "1.3.0")
	d := bundle.Diff(all.Contents,
		bundletest.Pack(t, st, next, filepath.Join(dir, "next"), airgap.Target{Name: "demo-images"})[0].Contents)
	if !slices.ContainsFunc(d.Changed, func(c bundle.Change) bool {
		return c.Name == chart.Repository+":1.3.0" && c.Bytes > 0
	}) {
		t.Errorf("diff does not have the chart among what changed: %+v", d.Changed)
	}
}

// unseen checks that only Slipway's own annotation names a chart.
func unseen(t *testing.T, f bundle.File, digest v1.Hash) {
	t.Helper()
	for _, e := range bundletest.Entries(t, f.Path) {
		switch e.Name {
		case "manifest.json":
			if strings.Contains(string(e.Data), "charts/app") {
				t.Errorf("manifest.json lists the chart:\n%s", e.Data)
			}
		case "index.json":
			var m v1.IndexManifest
			if err := json.Unmarshal(e.Data, &m); err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, d := range m.Manifests {
				if d.Digest == digest {
					names = append(names, d.Annotations["dev.slipway.image.chart"])
					if d.Annotations["io.containerd.image.name"]+
						d.Annotations["org.opencontainers.image.ref.name"] != "" {
						t.Errorf("index.json names the chart as an image: %v", d.Annotations)
					}
				}
			}
			if want := []string{
				"slipway.local/demo/charts/app:1.2.3",
				"slipway.local/demo/charts/app:latest",
			}; !slices.Equal(names, want) {
				t.Errorf("index.json has the charts %q, want %q", names, want)
			}
		}
	}
	list, err := os.ReadFile(f.List)
	if err != nil || strings.Contains(string(list), "charts") {
		t.Errorf("the list of images is %s, %v", list, err)
	}
	var charts, table strings.Builder
	if err := f.Contents.WriteNames(&charts, true, true); err != nil ||
		charts.String() != "slipway.local/demo/charts/app:1.2.3@"+digest.String()+
			"\nslipway.local/demo/charts/app:latest@"+digest.String()+"\n" {
		t.Errorf("the list of charts is %s, %v", charts.String(), err)
	}
	if err := f.Contents.WriteTable(&table); err != nil ||
		!strings.Contains(strings.Join(strings.Fields(table.String()), " "), "demo/charts/app:1.2.3 chart ") ||
		!strings.Contains(table.String(), " images, 2 charts, ") {
		t.Errorf("the table is\n%s%v", table.String(), err)
	}
}

// TestChartForged reads bundles whose charts are not.
func TestChartForged(t *testing.T) {
	st, l := bundletest.Demo(t, 100)
	storetest.AddChart(t, st, l, "slipway.local/demo/charts/app", "1.2.3")
	f := bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "demo-images"})[0]
	all := bundletest.Headers(t, f.Path)
	index := slices.IndexFunc(all, func(e bundletest.Forged) bool { return e.Name == "index.json" })
	for want, change := range map[string]func(a map[string]string){
		"is an image and a chart": func(a map[string]string) {
			if a["dev.slipway.image.chart"] != "" {
				a["io.containerd.image.name"] = a["dev.slipway.image.chart"]
			}
		},
		"it is not a chart": func(a map[string]string) {
			if n := a["io.containerd.image.name"]; strings.Contains(n, "server") {
				delete(a, "io.containerd.image.name")
				delete(a, "org.opencontainers.image.ref.name")
				a["dev.slipway.image.chart"] = n
			}
		},
		"is not a full name": func(a map[string]string) {
			if a["dev.slipway.image.chart"] != "" {
				a["dev.slipway.image.chart"] = "app"
			}
		},
	} {
		forged := bundletest.Clone(all)
		var m v1.IndexManifest
		if err := json.Unmarshal(all[index].Data, &m); err != nil {
			t.Fatal(err)
		}
		for n := range m.Manifests {
			change(m.Manifests[n].Annotations)
		}
		var err error
		if forged[index].Data, err = json.Marshal(m); err != nil {
			t.Fatal(err)
		}
		_, err = bundle.Inspect(bundletest.Write(t, bundletest.Forge(t, forged)))
		bundletest.Says(t, err, want)
	}
}
