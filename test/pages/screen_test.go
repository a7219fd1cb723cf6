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

// paper is what is wrong with how a page would be printed: in light colors, without what only a
// screen has use for, and no line of a text is cut off.
func paper(o *tab) (wrong []string) {
	return append(fits(o), evaluate[[]string](o, `() => {
		const wrong = [], light = c => c.match(/[0-9.]+/g).slice(0, 3).every(n => n > 200);
		if (!light(getComputedStyle(document.body).backgroundColor)) wrong.push("the paper is dark");
		if (document.querySelector("nav")?.checkVisibility()) wrong.push("the navigation shows");
		for (const e of document.querySelectorAll("pre, .wide, td, th")) {
			if (e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== "visible") wrong.push("cut off: " + e.outerHTML.slice(0, 100));
		}
		return wrong;
	}`)...)
}

// TestPrint looks at pages as on paper of A4, of which 180 mm have text, on a dark screen.
func TestPrint(t *testing.T) {
	for name, r := range all(t) {
		o := open(t, r.page, view{width: 680, dark: true, print: true})
		report(t, name, paper(o))
		pdf := call(o, page.PrintToPDF, page.PrintToPDFParams{})
		must(t, os.WriteFile(filepath.Join(t.ArtifactDir(), name+".pdf"), pdf.Data, 0o644))
	}
}

// TestScreens keeps pictures of the pages with -artifacts. On no screen has a page to be scrolled
// sideways.
func TestScreens(t *testing.T) {
	dir := t.ArtifactDir()
	for name, r := range all(t) {
		o := open(t, r.page, view{width: 1440})
		for _, v := range []view{
			{width: 360},
			{width: 360, dark: true},
			{width: 768},
			{width: 768, dark: true},
			{width: 1440},
			{width: 1440, dark: true},
		} {
			o.look(v)
			report(t, name+" "+v.String(), fits(o))
			beyond, fast := true, true
			shot := call(o, page.CaptureScreenshot,
				page.CaptureScreenshotParams{CaptureBeyondViewport: &beyond, OptimizeForSpeed: &fast, Clip: o.whole(v)})
			must(t, os.WriteFile(filepath.Join(dir, name+"-"+v.String()+".png"), shot.Data, 0o644))
		}
	}
}

// whole is all of the page, but not more than a picture can show.
func (o *tab) whole(v view) *page.Viewport {
	height := evaluate[float64](o, `() => document.documentElement.scrollHeight`)
	return &page.Viewport{Width: float64(v.width), Height: min(height, 16_000), Scale: 1}
}
