//go:build linux

package explore

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// walk draws a product and goes a way through the commands.
func walk(t *rapid.T) {
	p := products.Draw(t, "product")
	countedProduct(p)
	w := newWorld(t, p)
	w.first()
	if w.now == nil {
		w.any()
		return // no snapshot can be made of it, which check has said
	}
	for range below(12).Draw(t, "steps") {
		w.step()
	}
}

// step draws a step that the release allows: one that runs a command.
func (w *world) step() {
	for range 8 {
		s := pick(w.t, "step", steps...)
		if maybe(w.t, 4, "any command") {
			s = step{"any", (*world).any}
		}
		if *only != "" {
			s = steps[slices.IndexFunc(steps, func(s step) bool { return s.name == *only })]
		}
		before := len(w.script)
		w.script = append(w.script, "# "+s.name)
		s.do(w)
		if len(w.script) > before+1 {
			countedStep(s.name)
			return
		}
		w.script = w.script[:before]
	}
}

// step is a part of a walk: a command, or some that belong together.
type step struct {
	name string
	do   func(w *world)
}

var steps = []step{
	{"release again", (*world).again},
	{"release after a change", (*world).changed},
	{"release another version", (*world).raised},
	{"release elsewhere", (*world).elsewhere},
	{"release in shards", (*world).shards},
	{"release a part", (*world).some},
	{"release in parts", (*world).parts},
	{"stage by stage", (*world).stages},
	{"verify", (*world).verify},
	{"bundles of groups", (*world).groupBundles},
	{"damage", (*world).damage},
	{"ask", (*world).ask},
	{"split", (*world).split},
	{"extract", (*world).extract},
	{"delta", (*world).delta},
	{"push", (*world).push},
	{"report", (*world).report},
	{"reproduce", (*world).reproduce},
	{"store verify", (*world).storeVerify},
	{"publish", (*world).publish},
	{"clean", (*world).clean},
	{"init", (*world).init},
	{"pin", (*world).pin},
	{"sign", (*world).sign},
	{"cluster", (*world).cluster},
	{"draft", (*world).draft},
	{"promote", (*world).copied},
	{"nodes", (*world).nodes},
	{"serve", (*world).serve},
	{"any", (*world).any},
	{"shell", (*world).shell}, // it is quick, and there are many lines
	{"shell", (*world).shell},
	{"shell", (*world).shell},
	{"shell", (*world).shell},
	{"mistakes", (*world).mistake},
	{"variation", (*world).vary},
	{"refused stage", (*world).refused},
	{"destination", (*world).destination},
	{"directory of others", (*world).foreign},
	{"modes", (*world).modes},
	{"publish alone", (*world).alone},
	{"page", (*world).page},
	{"clean by age", (*world).old},
	{"mirror", (*world).mirrored},
	{"conflict", (*world).conflict},
	{"merge without files", (*world).late},
	{"part", (*world).half},
	{"repository", (*world).repository},
	{"tamper", (*world).tamper},
	{"volumes", (*world).volumes},
	{"nothing again", (*world).idle},
	{"text and JSON", (*world).both},
	{"plan of what is done", (*world).done},
	{"empty value", (*world).emptied},
	{"outage", (*world).outage},
	{"empty store", (*world).cold},
}

// places are the flags for the product, the store and the output directory, in one of the ways in
// which they can be written.
func (w *world) places(out string) []string {
	return []string{
		"-product=" + pick(w.t, "product's path", "src/slipway.yaml", "./src/slipway.yaml", w.path("src/slipway.yaml")),
		"-store=" + pick(w.t, "store's path", "store", "./store/", w.path("store")),
		"-out=" + pick(w.t, "out's path", "", "./", w.dir+"/") + out,
	}
}

// makes are the flags of commands that make a release, beside places: always those for the same.
func (w *world) makes(release *release) []string {
	args := []string{"-binary=false"}
	return append(args, release.flags...)
}

// first makes a snapshot. Check says whether that is possible.
func (w *world) first() {
	r := &release{dir: "out"}
	if maybe(w.t, 4, "another version") && !w.p.git {
		r.flags = append(r.flags, "-version=7.0.1")
	}
	if len(w.p.channels) > 0 && maybe(w.t, 3, "channel") {
		r.flags = append(r.flags, "-channel=stable")
	}
	if w.p.pushes && !maybe(w.t, 3, "a snapshot") {
		r.pushed = w.host + "/made"
		r.flags = append(r.flags, "-registry="+r.pushed)
		if maybe(w.t, 3, "to a destination") && len(w.p.dest) > 0 {
			r.flags[len(r.flags)-1] = "-registry=" + pick(w.t, "destinations", "one", "two", "all", "one,two")
		}
	}
	if w.p.registry {
		w.run("pin", "bases", "-product=src/slipway.yaml") // it fails where a base of Microsoft is not here
		if w.p.git {
			w.commit("bases")
			w.edits++
			w.at = fmt.Sprintf("%s-no-tag", w.at)
		}
	}
	checked := w.reads(append([]string{"check", "-product=src/slipway.yaml"}, r.flags...)...)
	planning, plan := w.plans(r.flags...)
	if checked.code == 0 && planning.code != 0 && (r.pushed != "" || !told(planning)) {
		w.fail(planning, "check ended with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
	made := w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(r), w.signs(r))...)
	if (checked.code == 0) != (made.code == 0) && (r.pushed != "" || !told(made)) {
		w.fail(made, "check ended with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
	if (planning.code == 0) != (made.code == 0) {
		w.fail(made, "plan ended with %d: %s%s", planning.code, planning.stdout, planning.stderr)
	}
	w.unbundled(made, planning)
	if made.code != 0 {
		if w.exists("out/SHA256SUMS") {
			w.fail(made, "a release that failed has checksums")
		}
		return
	}
	w.now = r
	countedRelease()
	w.complete(made, "out")
	w.keptTo(made, plan)
	if r.pushed != "" {
		w.resolves("out")
	}
}

// told reports whether a snapshot failed for what check cannot know, which asks no registry for
// one: the documents of third-party images.
func told(r *result) bool {
	return strings.Contains(r.stderr, "would be empty: no image ") ||
		strings.Contains(r.stderr, "take the line out, or the platform out of the bundle") ||
		strings.Contains(r.stderr, "/third/")
}

// signs draws a key for a release, and makes it.
func (w *world) signs(r *release) []string {
	if r.pushed == "" || !maybe(w.t, 2, "key") {
		return nil
	}
	if !w.exists("home/keys/k.key") {
		must(w.t, os.MkdirAll(w.path("home/keys"), 0o700))
		if made := w.runIn("home/keys", "keygen", "k"); made.code != 0 {
			w.fail(made, "no key is made")
		}
	}
	r.key = "home/keys/k.pub"
	return []string{"-sign=home/keys/k.key"}
}

func (w *world) key() []string {
	if w.now.key == "" {
		return nil
	}
	return []string{"-sign=home/keys/k.key"}
}

// ok fails unless a command succeeded.
func (w *world) ok(r *result) *result {
	if r.code != 0 {
		w.fail(r, "it fails")
	}
	return r
}

// again makes the same release a second time: nothing changes.
func (w *world) again() {
	before := w.tree("out")
	w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
	if diff := differ(w.unsigned(before), w.unsigned(w.tree("out"))); diff != "" {
		w.fail(nil, "a second release changes files:\n%s", diff)
	}
}

// unsigned is a tree without what has a signature, which is another one each time.
func (w *world) unsigned(tree map[string]string) map[string]string {
	if w.now.key == "" {
		return tree
	}
	out := map[string]string{}
	for name, text := range tree {
		if !strings.HasSuffix(name, ".sigstore.json") && !strings.HasSuffix(name, ".sig") && name != "index.html" &&
			!strings.HasPrefix(name, "SHA256SUMS") && !strings.HasSuffix(name, ".tar.zst") {
			out[name] = text
		}
	}
	return out
}

// changed makes a release of a changed program over the one before.
func (w *world) changed() {
	if w.now.pushed != "" {
		return // it has the tags, which do not move
	}
	w.change()
	w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
	w.complete(nil, "out")
}

// raised makes a release of another version. The older one is kept aside, and nothing of it is
// left.
func (w *world) raised() {
	charts, _ := w.p.yaml["charts"].([]object)
	own := slices.Concat(w.p.yaml["images"].([]object), charts)
	if w.now.pushed != "" && slices.ContainsFunc(own, func(o object) bool { return o["version"] != nil }) {
		return // what has a version of its own has its tags, which do not move
	}
	w.older = append(w.older, w.keep())
	w.now.flags = slices.DeleteFunc(w.now.flags, func(f string) bool { return strings.HasPrefix(f, "-version=") })
	w.change()
	w.raise()
	w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
	w.complete(nil, "out")
	if w.now.pushed != "" {
		w.resolves("out")
	}
}

// keep copies the release to a directory of its own.
func (w *world) keep() *release {
	kept := *w.now
	kept.dir = fmt.Sprintf("old%d", len(w.older))
	w.script = append(w.script, "exec cp -r out "+kept.dir)
	must(w.t, os.CopyFS(w.path(kept.dir), os.DirFS(w.path("out"))))
	return &kept
}
