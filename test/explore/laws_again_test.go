//go:build linux

package explore

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// counting serves a registry, and counts the requests that change something there.
func (w *world) counting(h http.Handler) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.writes.Add(1)
		}
		h.ServeHTTP(rw, r)
	})
}

// idle makes the same release a second time: it compiles and sends nothing.
func (w *world) idle() {
	before := w.writes.Load()
	r := w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
	if n := w.writes.Load() - before; n > 0 && w.now.key == "" {
		w.fail(r, "a second release changes the registry by %d requests", n)
	}
	for l := range strings.Lines(r.stderr) {
		if strings.Contains(l, "✓") && strings.Contains(l, "packages compiled") {
			w.fail(r, "a second release compiles: %s", l)
		}
	}
}

var whole = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// both asks a question for people and for programs: the answers have the same digests.
func (w *world) both() {
	questions := [][]string{{"images", "-product=src/slipway.yaml"}}
	if all := w.bundles("out"); len(all) > 0 {
		bundle := pick(w.t, "bundle", all...)
		questions = append(questions, []string{"airgap", "inspect", bundle},
			[]string{"airgap", "inspect", "-format=digests", bundle})
	}
	asked := pick(w.t, "question", questions...)
	text := w.ok(w.reads(asked...))
	asked = slices.DeleteFunc(slices.Clone(asked), func(a string) bool { return a == "-format=digests" }) // JSON has them
	json := w.ok(w.reads(append(asked, "-json")...))
	for _, digest := range whole.FindAllString(text.stdout, -1) {
		if !strings.Contains(json.stdout, digest) {
			w.fail(json, "%s is in the text and not in the JSON", digest)
		}
	}
	if text.stdout == json.stdout {
		w.fail(json, "the JSON is the text")
	}
}
