//go:build linux

package explore

import (
	"encoding/json"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/crane"
)

// copied promotes the release to one place or two: the images have their digests there, and a
// second time sends nothing.
func (w *world) copied() {
	if w.now.pushed == "" {
		return
	}
	to := w.host + "/copied"
	args := []string{"promote", "out/release.lock.json"}
	all := some(w.t, "destination", 1, to+"/a", to+"/b")
	for _, at := range all {
		args = append(args, "-to="+at)
	}
	if w.now.key != "" && maybe(w.t, 2, "key") {
		args = append(args, "-key="+w.now.key)
	}
	before := w.tree("out")
	w.ok(w.run(args...))
	w.ok(w.run(append(args, "-json")...))
	for name := range w.tree("out") {
		if _, ok := before[name]; !ok {
			must(w.t, os.Remove(w.path("out/"+name))) // the copies of release.yaml
		}
	}
	var l struct {
		Registry string
		Images   []struct{ Repository, Digest string }
	}
	text, err := os.ReadFile(w.path("out/release.lock.json"))
	must(w.t, err)
	must(w.t, json.Unmarshal(text, &l))
	for _, i := range l.Images {
		for _, at := range all {
			ref := at + strings.TrimPrefix(i.Repository, l.Registry) + "@" + i.Digest
			if _, err := crane.Digest(ref, crane.Insecure); err != nil {
				w.fail(nil, "promoted, %s is not there: %v", ref, err)
			}
		}
	}
}
