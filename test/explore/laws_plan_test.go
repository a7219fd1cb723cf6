package explore

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/crane"
)

// planned is what a plan says of a release, as JSON has it.
type planned struct {
	Version   string
	Snapshot  bool
	Images    []struct{ Name string }
	Charts    []struct{ File string }
	Names     []struct{ Reference, State, Digest string }
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
	said, is := map[string]bool{}, map[string]bool{}
	for _, i := range p.Images {
		said["image "+i.Name] = true
	}
	for _, c := range p.Charts {
		said["file "+c.File] = true
	}
	for _, b := range p.Bundles {
		said["file "+b.File] = true
	}
	for _, file := range p.Artifacts {
		said["file "+file] = true
	}
	for _, n := range p.Names {
		if n.State == "unknown" || n.State == "refused" {
			w.fail(r, "the plan had %s as %s", n.Reference, n.State)
		}
		if n.State != "stays" {
			said["name "+n.Reference] = true
		}
	}
	tagged := func(repositories []string, tags ...string) {
		for _, at := range repositories {
			for _, tag := range tags {
				is["name "+at+":"+tag] = true
			}
		}
	}
	for _, i := range l.Images {
		is["image "+i.Name] = true
		at := append([]string{i.Repository}, i.Copies...)
		tagged(at, i.Tags...)
		for _, t := range i.PlatformTags {
			tagged(at, t.Tag)
		}
		for _, t := range i.FloatingTags {
			tagged(at, t.Tag)
		}
	}
	for _, c := range l.Charts {
		is["file "+c.File.Name] = true
		at := append([]string{c.Repository}, c.Copies...)
		tagged(at, c.Tags...)
		for _, t := range c.FloatingTags {
			tagged(at, t.Tag)
		}
	}
	for _, b := range w.bundles("out") {
		is["file "+strings.TrimPrefix(b, "out/")] = true
	}
	for _, a := range l.Artifacts {
		is["file "+a.File] = true
	}
	for _, what := range slices.Sorted(maps.Keys(said)) {
		if !is[what] {
			w.fail(r, "planned, but not done: %s", what)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(is)) {
		if !said[what] {
			w.fail(r, "done, but not planned: %s", what)
		}
	}
	if !l.Snapshot {
		w.there(r, is)
	}
}

// there checks that names are in the registry.
func (w *world) there(r *result, names map[string]bool) {
	for what := range names {
		ref, ok := strings.CutPrefix(what, "name ")
		if !ok {
			continue
		}
		if _, err := crane.Digest(ref, crane.Insecure); err != nil {
			w.fail(r, "published, %s is not there: %v", ref, err)
		}
	}
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
