//go:build linux

package explore

import (
	"os"
	"strings"
)

// init writes a slipway.yaml for the files of the product. What it writes is as red as it says, and
// it does not write it again.
func (w *world) init() {
	w.copyTo("begun")
	defer remove(w.path("begun"))
	must(w.t, os.Remove(w.path("begun/src/slipway.yaml")))
	w.script = append(w.script, "rm begun/src/slipway.yaml")
	args := []string{"init", pick(w.t, "directory", "src", "./src/", "link", w.path("begun/src")), "-name=begun"}
	if !w.p.git {
		args = append(args, "-version=1.0.0", "-revision=abc", "-created=2025-01-01T00:00:00Z")
	}
	if maybe(w.t, 2, "platforms") {
		args = append(args, "-platforms="+strings.Join(some(w.t, "platform", 1, w.p.platforms...), ","))
	}
	before := w.tree("begun")
	r := w.runIn("begun", args...)
	after := w.tree("begun")
	delete(after, "src/slipway.yaml")
	delete(before, "src/")
	delete(after, "src/")
	if diff := differ(before, after); diff != "" {
		w.fail(r, "init writes more than slipway.yaml:\n%s", diff)
	}
	if !w.exists("begun/src/slipway.yaml") {
		if r.code == 0 {
			w.fail(r, "init succeeds, and writes nothing")
		}
		return
	}
	checked := w.runIn("begun", "check", "-product=src/slipway.yaml")
	if (checked.code == 0) != (r.code == 0) {
		w.fail(r, "check of what it wrote ends with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
	before = w.tree("begun")
	r = w.runIn("begun", args...)
	if diff := differ(before, w.tree("begun")); diff != "" {
		w.fail(r, "a second init changes files:\n%s", diff)
	}
}
