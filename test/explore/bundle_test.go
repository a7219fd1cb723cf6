//go:build linux

package explore

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/crane"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// split makes volumes of a bundle: together they have its images, and each can be verified.
func (w *world) split() {
	all := w.bundles("out")
	if len(all) == 0 {
		return
	}
	path := pick(w.t, "bundle", all...)
	out := "volumes"
	r := w.run("airgap", "split", path, "-out="+out, "-max-size="+pick(w.t, "max size", "1MB", "3MB", "100MB"))
	if r.code != 0 {
		if strings.Contains(r.stderr, "allow more with -max-size") || w.sparse(path) {
			remove(w.path(out))
			return
		}
		w.fail(r, "it cannot be split")
	}
	whole := strings.Fields(w.ok(w.reads("airgap", "inspect", "-format=digests", path)).stdout)
	var got []string
	for _, v := range w.bundles(out) {
		got = append(got, strings.Fields(w.ok(w.reads("airgap", "inspect", "-format=digests", v)).stdout)...)
		w.ok(w.reads("verify", "-lock=out/release.lock.json", v))
	}
	slices.Sort(whole)
	slices.Sort(got)
	if !slices.Equal(whole, got) {
		w.fail(nil, "the bundle has %v, its volumes have %v", whole, got)
	}
	remove(w.path(out))
}

// extract writes an image of a bundle to a directory.
func (w *world) extract() {
	all := w.bundles("out")
	if len(all) == 0 {
		return
	}
	path := pick(w.t, "bundle", all...)
	names := strings.Fields(w.ok(w.reads("airgap", "inspect", "-format=names", path)).stdout)
	if len(names) == 0 {
		return
	}
	image := pick(w.t, "image of the bundle", names...)
	r := w.run("airgap", "extract", path, image, "-o=layout")
	if r.code != 0 && w.sparse(path) && strings.Contains(r.stderr, "sparse: ") {
		return
	}
	w.ok(r)
	before := w.tree("layout")
	w.ok(w.run("airgap", "extract", path, image, "-o=layout"))
	if diff := differ(before, w.tree("layout")); diff != "" {
		w.fail(nil, "a second extraction changes the layout:\n%s", diff)
	}
	remove(w.path("layout"))
}

// delta makes deltas from an older release, and the bundles of them again.
func (w *world) delta() {
	if len(w.older) == 0 {
		return
	}
	old := w.older[len(w.older)-1]
	for _, base := range w.bundles(old.dir) {
		name := filepath.Base(base)
		if !w.exists("out/" + name) {
			continue
		}
		r := w.run(slices.Concat([]string{
			"airgap", "pack", "-base=" + base, "-product=src/slipway.yaml",
			"-store=store", "-out=out",
		}, w.now.flags)...)
		if r.code != 0 {
			w.fail(r, "no delta is made")
		}
		before, err := os.ReadFile(w.path("out/" + name))
		must(w.t, err)
		if !w.exists("out/" + name + ".delta") {
			return
		}
		w.ok(w.run("airgap", "apply", "out/"+name+".delta", "-base="+base, "-o=again.tar.zst"))
		after, err := os.ReadFile(w.path("again.tar.zst"))
		must(w.t, err)
		if !bytes.Equal(before, after) {
			w.fail(r, "the delta makes another bundle of %s", name)
		}
		must(w.t, os.Remove(w.path("again.tar.zst")))
		w.ok(w.reads("airgap", "diff", base, "out/"+name))
		// pack has removed what made the release complete
		w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
		w.complete(nil, "out")
		return
	}
}

// push pushes a bundle to the registry: every image can be pulled from there, by its digest.
func (w *world) push() {
	all := w.bundles("out")
	if len(all) == 0 {
		return
	}
	path := pick(w.t, "bundle", all...)
	to := w.host + "/" + pick(w.t, "prefix", "mirror", "a/b")
	args := []string{"airgap", "push", path, "-to=" + to}
	r := w.run(args...)
	if r.code != 0 && strings.Contains(r.stderr, "snapshot") { // of one that no registry got
		args = append(args, "-snapshot")
		r = w.run(args...)
	}
	if r.code != 0 {
		if !strings.Contains(r.stderr, "push the bundle for all platforms") &&
			(!w.sparse(path) || !strings.Contains(r.stderr, "with it, or first")) {
			w.fail(r, "it cannot be pushed")
		}
		return
	}
	for l := range strings.Lines(w.ok(w.reads("airgap", "inspect", "-format=digests", path)).stdout) {
		name, digest, _ := strings.Cut(strings.TrimSpace(l), "@")
		_, rest, _ := strings.Cut(name, "/")
		at := to + "/" + rest
		got, err := crane.Digest(at, crane.Insecure)
		if err != nil || got != digest {
			w.fail(nil, "%s of the bundle is %s in the registry, not %s: %v", at, got, digest, err)
		}
		if err := wholeAt(at); err != nil {
			w.fail(nil, "%s cannot be pulled as a whole: %v", at, err)
		}
	}
	again := w.ok(w.run(args...))
	l := w.locked("out")
	if path != "out/"+l.Name+"-images.tar.zst" {
		return // it has some platforms, and with them some of the evidence
	}
	for _, i := range l.Images {
		_, rest, _ := strings.Cut(i.Repository, "/")
		for _, about := range i.Referrers {
			if _, err := crane.Manifest(to+"/"+rest+"@"+about.Digest.String(), crane.Insecure); err != nil {
				w.fail(again, "pushed, %s lacks evidence: %v", i.Name, err)
			}
		}
	}
}

// wholeAt pulls an image with all platforms and layers. What is read is compared with its digest.
func wholeAt(ref string) error {
	r, err := name.ParseReference(ref, name.Insecure)
	if err != nil {
		return err
	}
	d, err := remote.Get(r)
	if err != nil {
		return err
	}
	if !d.MediaType.IsIndex() {
		image, err := d.Image()
		if err != nil {
			return err
		}
		return wholeImage(image)
	}
	index, err := d.ImageIndex()
	if err != nil {
		return err
	}
	children, err := index.IndexManifest()
	if err != nil {
		return err
	}
	for _, child := range children.Manifests {
		image, err := index.Image(child.Digest)
		if err != nil {
			return err
		}
		if err := wholeImage(image); err != nil {
			return err
		}
	}
	return nil
}

// wholeImage reads the configuration and the layers of an image.
func wholeImage(image v1.Image) error {
	if _, err := image.RawConfigFile(); err != nil {
		return err
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	for _, l := range layers {
		data, err := l.Compressed()
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, data)
		if err := errors.Join(err, data.Close()); err != nil {
			return err
		}
	}
	return nil
}

// sparse reports whether a bundle lacks what another has.
func (w *world) sparse(path string) bool {
	return w.inspect(path).Needs != nil
}

// report writes the page anew.
func (w *world) report() {
	before := w.tree("out")
	w.ok(w.run("report", "out", "-o=page.html"))
	if diff := differ(before, w.tree("out")); diff != "" {
		w.fail(nil, "report changes the release:\n%s", diff)
	}
	remove(w.path("page.html"))
}

// reproduce rebuilds the release from its own statement.
func (w *world) reproduce() {
	if maybe(w.t, 5, "long") {
		w.rebuild()
	}
}

// rebuild makes the images again from what the release states.
func (w *world) rebuild() {
	args := []string{"reproduce", "out"}
	if w.now.key != "" {
		args = append(args, "-key="+w.now.key)
	}
	r := w.run(args...)
	if r.code != 0 && !strings.Contains(r.stderr, "-repository") && !strings.Contains(r.stderr, "-allow-commands") {
		w.fail(r, "it cannot be made again")
	}
}

// storeVerify reads all of the store.
func (w *world) storeVerify() { w.ok(w.run("store", "verify", "-store=store")) }

// publish makes a release in the registry, and reads what release.yaml names.
func (w *world) publish() {
	if w.now.pushed != "" {
		return
	}
	to := "-registry=" + w.host + "/made"
	if len(w.p.dest) > 0 && maybe(w.t, 2, "destination") {
		to = "-registry=" + pick(w.t, "destinations", "one", "two", "all", "one,two")
	}
	if charts, _ := w.p.yaml["charts"].([]object); len(charts) > 0 && w.sent != "" {
		to = w.sent // a chart names the first registry, and its tag does not move at the others
	}
	w.sent = to
	at := slices.Concat([]string{"-product=src/slipway.yaml", "-store=store", to}, w.now.flags)
	checked := w.run(slices.Concat([]string{"check", "-product=src/slipway.yaml", to}, w.now.flags)...)
	r := w.run(slices.Concat([]string{"release", "-binary=false", "-out=published"}, at, w.key())...)
	if (checked.code == 0) != (r.code == 0) && !told(r) {
		w.fail(r, "check ended with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
	if r.code != 0 {
		remove(w.path("published"))
		return
	}
	w.complete(r, "published")
	w.resolves("published")
	before := w.tree("published")
	again := w.ok(w.run(slices.Concat([]string{"release", "-binary=false", "-out=published"}, at, w.key())...))
	if diff := differ(w.unsigned(before), w.unsigned(w.tree("published"))); diff != "" {
		w.fail(again, "a second release to the registry changes files:\n%s", diff)
	}
	w.ok(w.run("promote", "published/release.lock.json", "-to="+w.host+"/promoted/"+fmt.Sprint(len(w.script))))
	remove(w.path("published"))
}

// clean removes the release and the store, and nothing else.
func (w *world) clean() {
	before := w.work()
	w.ok(w.run("store", "clean", "-product=src/slipway.yaml", "-store=store", "-out=out"))
	for name := range w.work() {
		if strings.HasPrefix(name, "out/") || strings.HasPrefix(name, "store/") {
			w.fail(nil, "clean leaves %s", name)
		}
		delete(before, name)
	}
	for name := range before {
		if !strings.HasPrefix(name, "out/") && !strings.HasPrefix(name, "store/") {
			w.fail(nil, "clean removes %s", name)
		}
	}
	w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
	w.complete(nil, "out")
}
