package explore

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pgregory.net/rapid"
)

// walk draws a product and goes a way through the commands.
func walk(t *rapid.T) {
	p := products.Draw(t, "product")
	w := newWorld(t, p)
	w.first()
	if w.now == nil {
		return // no snapshot can be made of it, which check has said
	}
	for range rapid.IntRange(0, 6).Draw(t, "steps") {
		s := pick(t, "step", steps...)
		w.script = append(w.script, "# "+s.name)
		s.do(w)
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
	{"shell", (*world).shell},
	{"shell", (*world).shell}, // it is quick, and there are many lines
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
	if w.p.pushes && rapid.Bool().Draw(w.t, "to a registry") {
		r.pushed = w.host + "/made"
		r.flags = append(r.flags, "-registry="+r.pushed)
		if maybe(w.t, 3, "to a destination") && len(w.p.dest) > 0 {
			r.flags[len(r.flags)-1] = "-registry=" + pick(w.t, "destinations", "one", "two", "all", "one,two")
		}
	}
	if w.p.registry {
		w.run("bases", "-product=src/slipway.yaml")
		if w.p.git {
			w.commit("bases")
			w.edits++
			w.at = fmt.Sprintf("%s-no-tag", w.at)
		}
	}
	checked := w.reads(append([]string{"check", "-product=src/slipway.yaml"}, r.flags...)...)
	planned := w.reads(append([]string{"plan", "-product=src/slipway.yaml", "-store=store", "-out=out"}, r.flags...)...)
	if checked.code == 0 && planned.code != 0 {
		w.fail(planned, "check ended with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
	made := w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(r), w.signs(r))...)
	if (checked.code == 0) != (made.code == 0) && !told(made) {
		w.fail(made, "check ended with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
	if made.code != 0 {
		if w.exists("out/SHA256SUMS") {
			w.fail(made, "a release that failed has checksums")
		}
		return
	}
	w.now = r
	w.complete(made, "out")
	if r.pushed != "" {
		w.resolves("out")
	}
}

// told reports whether a release failed for what check cannot know: the platforms that a
// third-party image has in its registry.
func told(r *result) bool { return strings.Contains(r.stderr, "would be empty: no image has") }

// signs draws a key for a release, and makes it.
func (w *world) signs(r *release) []string {
	if r.pushed == "" || !maybe(w.t, 2, "key") {
		return nil
	}
	if !w.exists("home/keys/k.key") {
		must(w.t, os.MkdirAll(w.path("home/keys"), 0o700))
		if made := w.runIn("home/keys", "keygen", "-name=k"); made.code != 0 {
			w.fail(made, "no key is made")
		}
	}
	r.key = "home/keys/k.pub"
	return []string{"-key=home/keys/k.key"}
}

func (w *world) key() []string {
	if w.now.key == "" {
		return nil
	}
	return []string{"-key=home/keys/k.key"}
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
		if !strings.HasSuffix(name, ".sigstore.json") && !strings.HasSuffix(name, ".sig") && name != "index.html" && !strings.HasPrefix(name, "SHA256SUMS") && !strings.HasSuffix(name, ".tar.zst") {
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
	images := w.p.yaml["images"].([]object)
	if w.now.pushed != "" && slices.ContainsFunc(images, func(i object) bool { return i["version"] != nil }) {
		return // an image with a version of its own has its tags, which do not move
	}
	w.older = append(w.older, w.keep())
	w.now.flags = slices.DeleteFunc(w.now.flags, func(f string) bool { return strings.HasPrefix(f, "-version=") })
	w.change()
	w.raise()
	w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
	w.complete(nil, "out")
}

// keep copies the release to a directory of its own.
func (w *world) keep() *release {
	kept := *w.now
	kept.dir = fmt.Sprintf("old%d", len(w.older))
	w.script = append(w.script, "exec cp -r out "+kept.dir)
	must(w.t, os.CopyFS(w.path(kept.dir), os.DirFS(w.path("out"))))
	return &kept
}

// elsewhere makes the release in another directory, from a copy of the product and into a store of
// its own: the same bytes.
func (w *world) elsewhere() {
	if w.exists("else") {
		return
	}
	w.script = append(w.script, "exec cp -r src else/deep/src")
	must(w.t, os.MkdirAll(w.path("else/deep"), 0o755))
	must(w.t, os.CopyFS(w.path("else/deep/src"), os.DirFS(w.path("src"))))
	w.ok(w.runIn("else/deep", slices.Concat([]string{"release", "-product=src/slipway.yaml", "-out=made"}, w.makes(w.now))...))
	w.same("another directory", "else/deep/made")
	remove(w.path("else"))
}

// same compares a release with that in out. Signatures and what names them may differ.
func (w *world) same(what, dir string) {
	key := w.now.key
	w.now.key = "any"
	diff := differ(w.unsigned(w.tree("out")), w.unsigned(w.tree(dir)))
	w.now.key = key
	var others []string
	for l := range strings.Lines(diff) {
		name := strings.TrimSpace(l[2:])
		if !strings.HasPrefix(name, "provenance.json") && name != ".gitignore" && (w.now.key == "" || name != "release.lock.json") {
			others = append(others, strings.TrimSpace(l))
		}
	}
	if len(others) > 0 {
		w.fail(nil, "%s gives other files:\n%s", what, strings.Join(others, "\n"))
	}
}

// shards makes the release on several machines.
func (w *world) shards() {
	if w.exists("shards") {
		return
	}
	n := rapid.IntRange(1, 4).Draw(w.t, "shards")
	plan := slices.Concat([]string{"plan", "-product=src/slipway.yaml", "-store=store", "-out=out", fmt.Sprintf("-shards=%d", n), "-o=plan.json"}, w.now.flags)
	w.ok(w.run(plan...))
	var parts []string
	order := rapid.Permutation([]int{0, 1, 2, 3}).Draw(w.t, "order")
	for _, k := range order {
		if k >= n {
			continue
		}
		dir := fmt.Sprintf("shards/%d", k)
		r := w.run(slices.Concat([]string{"release", "-product=src/slipway.yaml", "-binary=false", "-plan=plan.json", fmt.Sprintf("-shard=%d", k), "-out=" + dir, "-store=" + pick(w.t, "shard's store", "store", "shards/store")}, w.now.flags)...)
		if r.code != 0 {
			if strings.Contains(r.stderr, "-registry") || strings.Contains(r.stderr, "shard") {
				remove(w.path("shards")) // fewer shards than were asked for, or a snapshot
				return
			}
			w.fail(r, "a shard fails")
		}
		parts = append(parts, dir+"/release.part.json")
	}
	w.ok(w.run(slices.Concat([]string{"merge", "-product=src/slipway.yaml", "-store=store", "-binary=false", "-out=shards/merged"}, w.now.flags, parts)...))
	w.same("merging shards", "shards/merged")
	remove(w.path("shards"))
}

// some makes a part of the release: some of its images on some of its platforms.
func (w *world) some() {
	args := []string{"-images=" + strings.Join(some(w.t, "image", 1, w.p.images...), ","), "-platforms=" + strings.Join(some(w.t, "platform", 1, w.p.platforms...), ",")}
	r := w.run(slices.Concat([]string{"release", "-product=src/slipway.yaml", "-store=store", "-binary=false", "-out=some"}, w.now.flags, args)...)
	if made := w.exists("some/release.part.json") || w.exists("some/SHA256SUMS"); made != (r.code == 0) {
		w.fail(r, "a part is made: %v", made)
	}
	remove(w.path("some"))
}

// parts makes the release by platforms.
func (w *world) parts() {
	if len(w.p.systems()) < 2 || w.exists("parts") {
		return
	}
	var parts []string
	for _, system := range w.p.systems() {
		var on []string
		for _, p := range w.p.platforms {
			if strings.HasPrefix(p, system) {
				on = append(on, p)
			}
		}
		dir := "parts/" + system
		r := w.run(slices.Concat([]string{"release", "-product=src/slipway.yaml", "-store=store", "-binary=false", "-out=" + dir, "-platforms=" + strings.Join(on, ",")}, w.now.flags)...)
		if r.code != 0 {
			remove(w.path("parts")) // an image is for none of these
			return
		}
		if !w.exists(dir + "/release.part.json") {
			remove(w.path("parts"))
			return
		}
		parts = append(parts, dir+"/release.part.json")
	}
	w.ok(w.run(slices.Concat([]string{"merge", "-product=src/slipway.yaml", "-store=store", "-binary=false", "-out=parts/merged"}, w.now.flags, parts)...))
	w.same("merging parts", "parts/merged")
	remove(w.path("parts"))
}

// stages makes the release command by command, in another directory.
func (w *world) stages() {
	if w.exists("staged") {
		return
	}
	at := []string{"-product=src/slipway.yaml", "-store=store", "-out=staged"}
	only := w.now.flags
	w.ok(w.run(slices.Concat([]string{"build"}, at, only)...))
	w.ok(w.run(slices.Concat([]string{"publish"}, at, only)...))
	if w.exists("out/release.yaml") {
		w.ok(w.run(slices.Concat([]string{"render"}, at, only)...))
	}
	w.ok(w.run(slices.Concat([]string{"airgap", "pack"}, at, only)...))
	now, was := w.tree("staged"), w.tree("out")
	for name, text := range now {
		is, ok := was[name]
		if strings.HasSuffix(name, ".tar.zst") && w.now.key != "" || name == "release.lock.json" || strings.HasPrefix(name, ".") {
			continue
		}
		if ok && is != text {
			w.fail(nil, "stage by stage, %s is another", name)
		}
	}
	remove(w.path("staged"))
}

// bundles returns the paths of the bundles in a directory.
func (w *world) bundles(dir string) []string { return w.files(dir, ".tar.zst") }

// verify verifies what was made.
func (w *world) verify() {
	args := []string{"airgap", "verify"}
	if w.now.key != "" {
		args = append(args, "-key="+w.now.key, "out")
	} else {
		args = append(args, "-sums=out/SHA256SUMS", "-lock=out/release.lock.json")
		args = append(args, w.bundles("out")...)
	}
	if maybe(w.t, 2, "json") {
		args = append(args, "-json")
	}
	if len(w.bundles("out")) == 0 && w.now.key == "" {
		return
	}
	w.ok(w.reads(args...))
}

// damage changes a byte of a file that is verified.
func (w *world) damage() {
	all := w.bundles("out")
	if len(all) == 0 {
		return
	}
	path := pick(w.t, "bundle", all...)
	data, err := os.ReadFile(w.path(path))
	must(w.t, err)
	at := rapid.IntRange(0, len(data)-1).Draw(w.t, "at")
	data[at] ^= byte(rapid.IntRange(1, 255).Draw(w.t, "by"))
	must(w.t, os.MkdirAll(w.path("damaged"), 0o755))
	must(w.t, os.WriteFile(w.path("damaged/"+filepath.Base(path)), data, 0o600))
	w.script = append(w.script, fmt.Sprintf("# byte %d of %s changed, in damaged/", at, path))
	args := []string{"airgap", "verify", "-lock=out/release.lock.json", "-sums=out/SHA256SUMS", "damaged/" + filepath.Base(path)}
	if r := w.reads(args...); r.code == 0 {
		w.fail(r, "a changed byte is not noticed")
	}
	if r := w.reads("airgap", "verify", "damaged/"+filepath.Base(path)); r.code == 0 {
		w.fail(r, "a changed byte is not noticed without checksums")
	}
	remove(w.path("damaged"))
}

// ask runs a command that only reads.
func (w *world) ask() {
	bundle := append(w.bundles("out"), "out/none.tar.zst")[0]
	json := map[bool][]string{true: {"-json"}}[rapid.Bool().Draw(w.t, "json")]
	asked := pick(w.t, "question",
		[]string{"check", "-product=src/slipway.yaml"},
		[]string{"plan", "-product=src/slipway.yaml", "-store=store", "-out=out"},
		[]string{"images", "-product=src/slipway.yaml"},
		[]string{"lint", "out/release.yaml"},
		[]string{"airgap", "inspect", bundle},
		[]string{"airgap", "list", bundle},
		[]string{"airgap", "list", "-digests", bundle},
		[]string{"airgap", "diff", bundle, bundle},
		[]string{"version"},
	)
	if asked[0] == "lint" && asked[1] == "out/release.yaml" && !w.exists("out/release.yaml") || strings.HasSuffix(asked[len(asked)-1], ".zst") && !w.exists(bundle) {
		return
	}
	flags := json
	if asked[0] == "check" || asked[0] == "plan" {
		flags = append(slices.Clone(json), w.now.flags...)
	}
	w.ok(w.reads(append(slices.Clone(asked), flags...)...))
}
