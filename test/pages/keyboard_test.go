package pages

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// stops numbers what can have the focus, in the order of the document.
const stops = `() => {
  window.stops = [...document.querySelectorAll("a[href], button, summary, input, select, textarea, [tabindex]")].filter(e => e.checkVisibility() && e.tabIndex >= 0);
  return window.stops.length;
}`

// focused reports which of them has the focus, and what is wrong with how that looks.
const focused = `() => {
  const e = document.activeElement, box = e.getBoundingClientRect(), style = getComputedStyle(e), wrong = [];
  if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1) wrong.push("the focus does not show");
  if (box.bottom <= 0 || box.right <= 0 || box.top >= innerHeight || box.left >= innerWidth) wrong.push("the focus is out of sight");
  return {at: window.stops.indexOf(e), html: e.outerHTML.slice(0, 100), wrong};
}`

// keyboard goes through a page by the tab key: everything is reached, in the order in which it is
// read, and shows that it has the focus. The first stop leads to the content.
func keyboard(o *tab) (wrong []string) {
	count := evaluate[int](o, stops)
	for n := range count {
		o.press(kb.Tab)
		at := evaluate[struct {
			At    int
			HTML  string
			Wrong []string
		}](o, focused)
		if at.At != n {
			return append(wrong, fmt.Sprintf("stop %d of %d is number %d: %s", n, count, at.At, at.HTML))
		}
		for _, w := range at.Wrong {
			wrong = append(wrong, w+": "+at.HTML)
		}
	}
	return wrong
}

// skip takes the first stop, which leads past the header.
func skip(o *tab) (wrong []string) {
	o.press(kb.Tab)
	o.press(kb.Enter)
	if hash := evaluate[string](o, `() => location.hash`); hash != "#images" {
		wrong = append(wrong, "the first stop leads to "+hash)
	}
	o.press(kb.Tab)
	if in := evaluate[bool](o, `() => document.activeElement.closest("#images") !== null`); !in {
		wrong = append(wrong, "the stop after it is not among the images")
	}
	return wrong
}

// copied copies a digest by the keyboard.
func copied(o *tab) (wrong []string) {
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		_, err := chromedp.CallBrowser(o.ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
		})
		must(o.t, err)
	}
	want := evaluate[string](o,
		`() => { const b = document.querySelector("#images button[data-copy]"); b?.focus(); return b?.dataset.copy ?? "" }`)
	if !strings.HasPrefix(want, "sha256:") {
		return append(wrong, "no button copies a digest: "+want)
	}
	o.press(kb.Enter)
	got := evaluate[string](o, `async want => {
		for (let n = 0; n < 500; n++) { // until it is there; two reads are a frame apart
			if (await navigator.clipboard.readText() === want) return want;
			await new Promise(done => requestAnimationFrame(done));
		}
		return await navigator.clipboard.readText();
	}`, want)
	if got != want {
		wrong = append(wrong, fmt.Sprintf("the clipboard has %q in place of %s", got, want))
	}
	return wrong
}

// TestKeyboard uses pages by the keyboard alone.
func TestKeyboard(t *testing.T) {
	for name, r := range map[string]*released{"kpack": kpack(t), "changed": changed(t)} {
		wrong := keyboard(open(t, r.page, view{width: 1440}))
		o := open(t, r.page, view{width: 1440})
		report(t, name, slices.Concat(wrong, skip(o), copied(o)))
	}
}
