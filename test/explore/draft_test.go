//go:build linux

package explore

import (
	"os"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/internal/testing/githubtest"
)

// draft makes a release at GitHub of what was made: it has the files of SHA256SUMS, and a second
// time sends none.
func (w *world) draft() {
	if w.now.pushed == "" {
		return
	}
	w.hub.Releases = nil
	tag := "v1.0.0" // the one that the server has
	args := []string{"github-release", "-out=out", "-tag=" + tag, "-github-repository=" + githubtest.Repository}
	first := w.reads(append(args, some(w.t, "draft", 0, "-draft")...)...)
	if first.code != 0 {
		if strings.Contains(first.stderr, "-tag") || strings.Contains(first.stderr, "twice") ||
			strings.Contains(first.stderr, "same name") {
			return
		}
		w.fail(first, "it is not released")
	}
	w.ok(w.reads(args...))
	if n := len(w.hub.Releases); n != 1 || w.hub.Releases[0].Draft {
		w.fail(nil, "%d releases are at GitHub", n)
	}
	text, err := os.ReadFile(w.path("out/SHA256SUMS"))
	must(w.t, err)
	sent := map[string]bool{}
	for _, a := range w.hub.Releases[0].Assets {
		sent[a.Name] = true
	}
	for l := range strings.Lines(string(text)) {
		_, name, _ := strings.Cut(strings.TrimSpace(l), "  ")
		if !sent[path.Base(name)] && !sent[strings.ReplaceAll(name, "/", ".")] {
			w.fail(first, "GitHub lacks %s, and has %v", name, sent)
		}
	}
	if r := w.ok(w.reads(append(args, "-json")...)); strings.Contains(r.stdout, `"sent": true`) {
		w.fail(r, "a second time sends files")
	}
	w.ok(w.reads("github-release", "-out=out", "-notes"))
}
