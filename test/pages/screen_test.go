package pages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/page"
)

// fits reports what is wider than the screen and cannot be scrolled on its own.
func fits(o *tab) []string {
	return evaluate[[]string](o, `() => {
		const e = document.documentElement, width = e.clientWidth;
		return e.scrollWidth <= width ? [] : ["the page is " + e.scrollWidth + " wide on a screen of " + width + ": " +
			[...document.body.querySelectorAll("*")].filter(e => e.getBoundingClientRect().right > width).slice(0, 3).map(e => e.outerHTML.slice(0, 120))];
	}`)
}

// TestScreens keeps pictures of the pages with -artifacts. On no screen has a page to be scrolled
// sideways.
func TestScreens(t *testing.T) {
	dir := t.ArtifactDir()
	for name, r := range all(t) {
		o := open(t, r.page, view{width: 1440})
		for _, v := range []view{{width: 360}, {width: 360, dark: true}, {width: 768}, {width: 768, dark: true}, {width: 1440}, {width: 1440, dark: true}} {
			o.look(v)
			report(t, name+" "+v.String(), fits(o))
			beyond, fast := true, true
			shot := call(o, page.CaptureScreenshot, page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond, OptimizeForSpeed: &fast, Clip: o.whole(v)})
			must(t, os.WriteFile(filepath.Join(dir, name+"-"+v.String()+".png"), shot.Data, 0o644))
		}
	}
}

// whole is all of the page, but not more than a picture can show.
func (o *tab) whole(v view) *page.Viewport {
	height := evaluate[float64](o, `() => document.documentElement.scrollHeight`)
	return &page.Viewport{Width: float64(v.width), Height: min(height, 16_000), Scale: 1}
}
