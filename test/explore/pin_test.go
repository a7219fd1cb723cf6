//go:build linux

package explore

import (
	"maps"
	"slices"
	"strings"
)

// pin pins third-party images and bases, apart and together: a second time changes nothing, and
// -check agrees.
func (w *world) pin() {
	w.copyTo("pinned")
	defer remove(w.path("pinned"))
	for _, name := range [][]string{{"pin", "images"}, {"pin", "bases"}, {"pin"}} {
		first := w.runIn("pinned", append(name, "-product=src/slipway.yaml")...)
		if first.code != 0 {
			continue
		}
		before := storeless(w.tree("pinned"))
		for _, more := range [][]string{nil, {"-check"}, {"-update"}, {"-json"}, {"-check", "-json"}} {
			r := w.ok(w.runIn("pinned", slices.Concat(name, []string{"-product=src/slipway.yaml"}, more)...))
			if diff := differ(before, storeless(w.tree("pinned"))); diff != "" {
				w.fail(r, "a second time changes files:\n%s", diff)
			}
		}
	}
	if r := w.runIn("pinned", "check", "-product=src/slipway.yaml"); r.code != 0 && w.now != nil {
		w.fail(r, "what is pinned is not right")
	}
}

// storeless is a tree without the store, which keeps what is downloaded.
func storeless(tree map[string]string) map[string]string {
	maps.DeleteFunc(tree, func(name, _ string) bool { return strings.Contains(name, ".slipway/") })
	return tree
}
