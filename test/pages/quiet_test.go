package pages

import (
	"fmt"
	"slices"
	"testing"
)

// quiet reports what the page wrote to the console, and whom it asked for something.
func quiet(o *tab) (wrong []string) {
	evaluate[[]string](o, `() => document.fonts.ready.then(() => [])`)
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.console {
		wrong = append(wrong, "the console has "+s)
	}
	for _, s := range o.requests {
		wrong = append(wrong, "the page asks for "+s)
	}
	return wrong
}

// unscripted compares a page with what it shows without JavaScript: the same text, each digest in
// full, and no button that does nothing.
func unscripted(o *tab) (wrong []string) {
	const text = `() => document.querySelector("header").innerText + document.querySelector("main").innerText`
	plain := open(o.t, o.path, view{width: 1440, noScript: true})
	defer plain.close()
	if a, b := evaluate[string](o, text), evaluate[string](plain, text); a != b {
		wrong = append(wrong, fmt.Sprintf("without JavaScript the text has %d bytes in place of %d", len(b), len(a)))
	}
	return append(wrong, evaluate[[]string](plain, `() => [
		...[...document.querySelectorAll("[data-copy]")].filter(d => !d.title.includes(d.dataset.copy)).map(d => "the digest is only in data-copy: " + d.outerHTML),
		...[...document.querySelectorAll("button")].map(b => "a button without JavaScript: " + b.outerHTML),
	]`)...)
}

// TestQuiet: pages write nothing to the console and request nothing, with JavaScript and without,
// and have the same content.
func TestQuiet(t *testing.T) {
	for name, r := range all(t) {
		o := open(t, r.page, view{width: 1440})
		report(t, name, slices.Concat(unscripted(o), quiet(o)))
	}
}
