//go:build linux

package explore

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/crane"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
)

// planned is what a plan says of a release, as JSON has it.
type planned struct {
	Version   string
	Snapshot  bool
	Images    []struct{ Name string }
	Charts    []struct{ File string }
	Names     []struct{ Reference, State string }
	Bundles   []struct{ File string }
	Artifacts []string
	Changes   []struct{ Input string }
	Refused   []string
}

// plans makes a plan of the release, which only reads.
func (w *world) plans(args ...string) (*result, *planned) {
	r := w.reads(append([]string{"plan", "-product=src/slipway.yaml", "-store=store", "-out=out", "-json"}, args...)...)
	p := &planned{}
	if r.stdout == "" {
		return r, p
	}
	must(w.t, json.Unmarshal([]byte(r.stdout), p))
	if (len(p.Refused) > 0) != (r.code != 0) {
		w.fail(r, "it is refused for %q", p.Refused)
	}
	return r, p
}

// keptTo checks that a release has done what its plan said: the same images by the same names, and
// the same files.
func (w *world) keptTo(r *result, p *planned) {
	l := w.locked("out")
	if l.Version != p.Version || l.Snapshot != p.Snapshot {
		w.fail(r, "the plan had version %s, and the release has %s", p.Version, l.Version)
	}
	for _, n := range p.Names {
		if n.State == "unknown" || n.State == "refused" {
			w.fail(r, "the plan had %s as %s", n.Reference, n.State)
		}
	}
	said, is := p.things(), w.things("out", l)
	if diff := differ(said, is); diff != "" {
		w.fail(r, "planned, but not done (-), and done, but not planned (+):\n%s", diff)
	}
}

// things are what a plan says that there will be. They are keys, as those of [world.tree].
func (p *planned) things() map[string]string {
	all := map[string]string{}
	for _, i := range p.Images {
		all["image "+i.Name] = ""
	}
	for _, c := range p.Charts {
		all["file "+c.File] = ""
	}
	for _, b := range p.Bundles {
		all["file "+b.File] = ""
	}
	for _, file := range p.Artifacts {
		all["file "+file] = ""
	}
	for _, n := range p.Names {
		if n.State != "stays" {
			all["name "+n.Reference] = ""
		}
	}
	return all
}

// things are what a release in a directory has of that.
func (w *world) things(dir string, l *lock.Lock) map[string]string {
	all := map[string]string{}
	for _, i := range l.Images {
		all["image "+i.Name] = ""
	}
	for _, c := range l.Charts {
		all["file "+c.File.Name] = ""
	}
	archives := w.bundles(dir)
	for _, b := range archives {
		all["file "+strings.TrimPrefix(b, dir+"/")] = ""
		if twin := strings.TrimSuffix(b, ".zst") + ".gz"; w.exists(twin) {
			all["file "+strings.TrimPrefix(twin, dir+"/")] = ""
		}
	}
	for _, list := range w.files(dir, ".txt") {
		if !slices.Contains(archives, strings.TrimSuffix(list, ".txt")+".tar.zst") {
			all["file "+strings.TrimPrefix(list, dir+"/")] = ""
		}
	}
	for _, a := range l.Artifacts {
		all["file "+a.File] = ""
	}
	for ref := range named(l) {
		all["name "+ref] = ""
	}
	return all
}

// named are the digests of all that a release has names for, by repository:tag in every registry.
func named(l *lock.Lock) map[string]v1.Hash {
	all := map[string]v1.Hash{}
	for _, registry := range l.Registries() {
		at, _ := l.At(registry)
		for _, i := range at.Published() {
			for _, n := range i.Names() {
				all[n.Reference] = n.Desc.Digest
			}
		}
	}
	return all
}

// resolves checks that everything of a lock is where it says: by each of its names, and by digest.
func (w *world) resolves(dir string) {
	for ref, want := range named(w.locked(dir)) {
		repository := ref[:strings.LastIndex(ref, ":")]
		for _, at := range []string{ref, repository + "@" + want.String()} {
			if got, err := crane.Digest(at, crane.Insecure); err != nil || got != want.String() {
				w.fail(nil, "%s is %s, and the lock has %s: %v", at, got, want, err)
			}
		}
	}
	w.chartsResolve(dir)
}

// done checks that a plan has nothing to do after the release that it is of.
func (w *world) done() {
	r, p := w.plans(w.now.flags...)
	if r.code != 0 {
		w.fail(r, "what was released cannot be released again")
	}
	if len(p.Changes) > 0 {
		w.fail(r, "nothing has changed, but %v", p.Changes)
	}
	for _, n := range p.Names {
		if n.State != "there" && n.State != "stays" && n.State != "local" {
			w.fail(r, "%s was released, and is %s", n.Reference, n.State)
		}
	}
}
