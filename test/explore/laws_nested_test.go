//go:build linux

package explore

import (
	"strings"

	"github.com/google/go-containerregistry/pkg/crane"
)

// unbundled checks what becomes of a third-party index that lists an index: a release and its plan
// refuse it where it is named, and nothing is pushed, since no bundle has one. audit looks into it.
func (w *world) unbundled(made, planning *result) {
	if w.p.nested == "" {
		return
	}
	for _, r := range []*result{made, planning} {
		if r.code == 0 || !strings.Contains(r.stderr, "images.txt:3") || !strings.Contains(r.stderr, "/"+w.p.nested) {
			w.fail(r, "it does not refuse %s where images.txt names it", w.p.nested)
		}
	}
	repositories, err := crane.Catalog(w.host, crane.Insecure)
	must(w.t, err)
	for _, name := range repositories {
		if !strings.HasPrefix(name, "base/") && !strings.HasPrefix(name, "third/") {
			w.fail(made, "it is refused, and %s is in the registry", name)
		}
	}
	r := w.run("audit", "-since=none", w.host+"/"+w.p.nested)
	if inner := strings.Contains(r.stdout, "manifests[0].manifests[0]"); inner != (w.p.nested == lying) ||
		(r.code == 0) == inner {
		w.fail(r, "audit does not look into %s", w.p.nested)
	}
}
