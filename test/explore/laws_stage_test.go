//go:build linux

package explore

import (
	"os"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
)

// refused runs stages that cannot do what they are asked to: the release stays as it is.
func (w *world) refused() {
	at := []string{"-product=src/slipway.yaml", "-store=store", "-out=out"}
	command := pick(w.t, "stage", []string{"stage", "render"}, []string{"stage", "publish"}, []string{"airgap", "pack"})
	if maybe(w.t, 2, "another registry") && !slices.Equal(command, []string{"stage", "publish"}) {
		if !w.p.pushes {
			return
		}
		at = append(at, "-registry="+w.host+"/another")
	} else {
		if w.p.git {
			return
		}
		at = append(at, "-version=99.9.9")
	}
	if r := w.reads(slices.Concat(command, at)...); r.code == 0 {
		w.fail(r, "it takes the result of another stage for what was asked for")
	}
}

// destination renders release.yaml for a registry of the release once more: that adds a file.
func (w *world) destination() {
	if w.now.pushed == "" || !w.exists("out/release.yaml") {
		return
	}
	before := w.tree("out")
	r := w.ok(
		w.run(slices.Concat([]string{
			"stage", "render", "-product=src/slipway.yaml", "-store=store", "-out=out",
			"-destination=" + w.locked("out").Registry,
		}, w.now.flags)...))
	for name := range w.tree("out") {
		if before[name] == "" && strings.HasPrefix(name, "release.") && strings.HasSuffix(name, ".yaml") {
			must(w.t, os.Remove(w.path("out/"+name)))
		}
	}
	if diff := differ(before, w.tree("out")); diff != "" {
		w.fail(r, "a copy of release.yaml changes other files:\n%s", diff)
	}
}

// locked reads the lock of a directory.
func (w *world) locked(dir string) *lock.Lock {
	l, err := lock.Read(w.path(dir + "/release.lock.json"))
	must(w.t, err)
	return l
}

// foreign makes a release in a directory with files of another user, which stay.
func (w *world) foreign() {
	w.write("foreign/SHA256SUMS", strings.Repeat("0", 64)+"  theirs.txt\n")
	w.write("foreign/theirs.txt", "theirs\n")
	if maybe(w.t, 2, "a page") {
		w.write("foreign/index.html", "theirs\n")
	}
	w.script = append(w.script, "# foreign/ has SHA256SUMS of theirs.txt")
	before := w.tree("foreign")
	r := w.run(slices.Concat([]string{
		"release", "-product=src/slipway.yaml", "-store=store", "-binary=false",
		"-out=foreign",
	}, w.now.flags)...)
	after := w.tree("foreign")
	for name, was := range before {
		if after[name] != was {
			w.fail(r, "it changes %s of somebody else", name)
		}
	}
	remove(w.path("foreign"))
}

// modes takes away that programs are executable: a second release gives it back.
func (w *world) modes() {
	before := w.tree("out")
	for name, is := range before {
		if strings.HasPrefix(is, "-rwx") {
			must(w.t, os.Chmod(w.path("out/"+name), 0o644))
			w.script = append(w.script, "chmod 644 out/"+name)
		}
	}
	r := w.ok(w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(w.now), w.key())...))
	if diff := differ(w.unsigned(before), w.unsigned(w.tree("out"))); diff != "" {
		w.fail(r, "modes stay as they were changed:\n%s", diff)
	}
}

// alone publishes without the stages that follow: the files of the lock are there.
func (w *world) alone() {
	if w.now.pushed != "" {
		return
	}
	at := slices.Concat([]string{"-product=src/slipway.yaml", "-store=store", "-out=alone"}, w.now.flags)
	w.ok(w.run(append([]string{"stage", "build"}, at...)...))
	r := w.ok(w.run(append([]string{"stage", "publish"}, at...)...))
	l := w.locked("alone")
	for _, a := range l.Artifacts {
		if !w.exists("alone/" + a.File) {
			w.fail(r, "the lock has %s, which is not there", a.File)
		}
	}
	for _, c := range l.Charts {
		if !w.exists("alone/" + c.File.Name) {
			w.fail(r, "the lock has %s, which is not there", c.File.Name)
		}
	}
	remove(w.path("alone"))
}

// page makes the page of a release that lacks a bundle.
func (w *world) page() {
	all := w.bundles("out")
	if len(all) == 0 {
		return
	}
	must(w.t, os.CopyFS(w.path("less"), os.DirFS(w.path("out"))))
	gone := pick(w.t, "bundle", all...)
	w.script = append(w.script, "exec cp -r out less", "rm less/"+strings.TrimPrefix(gone, "out/"))
	must(w.t, os.Remove(w.path("less/"+strings.TrimPrefix(gone, "out/"))))
	w.ok(w.run("report", "less", "-o=page.html"))
	remove(w.path("less"))
	must(w.t, os.Remove(w.path("page.html")))
}
