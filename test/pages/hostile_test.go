package pages

import (
	"fmt"
	"strings"
	"testing"
)

// text reports what of the hostile release a page does not show as text.
func text(o *tab) (wrong []string) {
	wrong = evaluate[[]string](o, `() => [
		...[...document.querySelectorAll("script:not(:last-child), img, iframe, object")].map(e => "an element of others: " + e.outerHTML),
		...[...document.querySelectorAll("*")].flatMap(e => [...e.attributes].filter(a => a.name.startsWith("on") || /^\s*javascript:/i.test(a.value)).map(a => "an attribute of others: " + a.name + "=" + a.value)),
		...document.scripts.length == 1 ? [] : ["scripts: " + document.scripts.length],
	]`)
	shown := evaluate[string](o, `() => document.title + document.body.textContent`)
	for _, s := range []string{
		markup, `" onmouseover="hacked()`, strings.Repeat("x", 200), strings.Repeat("y", 128),
		strings.Repeat("z", 200), "</td></table>" + markup,
	} {
		if !strings.Contains(shown, s) {
			wrong = append(wrong, fmt.Sprintf("the page does not show %q", s))
		}
	}
	for _, r := range shown {
		if r != '\n' && r != '\t' && r < ' ' ||
			strings.ContainsRune("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r) {
			wrong = append(wrong, fmt.Sprintf("the page has the control %U", r))
		}
	}
	return wrong
}

// TestHostile: whatever names are, the page shows them as text.
func TestHostile(t *testing.T) {
	report(t, "hostile", text(open(t, hostile(t).page, view{width: 1440})))
}
