package pages

import (
	"os"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
)

// TestMany: the page of a release of 200 images for 5 platforms shows all of them, and is small.
// How long it takes to open is for BenchmarkOpen.
func TestMany(t *testing.T) {
	r := many(t)
	fi, err := os.Stat(r.page)
	must(t, err)
	if fi.Size() >= 3_000_000 {
		t.Errorf("the page has %d bytes", fi.Size())
	}
	o := open(t, r.page, view{width: 1440})
	l := r.lock(t)
	if len(l.Images) != 200 || len(l.Images[0].Children) != 5 {
		t.Fatalf("the release has %d images", len(l.Images))
	}
	report(t, "many", slices.Concat(images(o, l), names(o, l), fits(o), quiet(o)))
}

// BenchmarkOpen measures how long Chromium takes to open the page of the same release, by its own
// clock: until something is painted, until its content is parsed, and until all is loaded. The
// processor time of the process that does it hardly depends on what else the machine does.
func BenchmarkOpen(b *testing.B) {
	o := open(b, many(b).page, view{width: 1440}) // with Chromium warm
	call(o, performance.Enable, performance.EnableParams{})
	var total [3]float64
	began := o.processor()
	for b.Loop() {
		o.show(o.path, view{width: 1440})
		times := evaluate[[]float64](o, `async () => {
			await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
			const n = performance.getEntriesByType("navigation")[0];
			return [performance.getEntriesByName("first-contentful-paint")[0].startTime, n.domContentLoadedEventEnd, n.loadEventEnd];
		}`)
		for n := range total {
			total[n] += times[n]
		}
	}
	for n, unit := range []string{"ms/painted", "ms/parsed", "ms/loaded"} {
		b.ReportMetric(total[n]/float64(b.N), unit)
	}
	b.ReportMetric(1000*(o.processor()-began)/float64(b.N), "processor-ms/op")
	b.ReportMetric(0, "ns/op")
}

// processor returns the seconds of processor time that the process of the tab has used.
func (o *tab) processor() float64 {
	o.t.Helper()
	for _, m := range call(o, performance.GetMetrics, cdp.Empty{}).Metrics {
		if m.Name == "ProcessTime" {
			return m.Value
		}
	}
	o.t.Fatal("Chromium does not tell the processor time of a tab")
	return 0
}
