//go:build linux

package explore

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/crane"
)

// published makes a release at prefixes of the registry, in a directory of its own, from a store of
// its own where it is asked for. ok is false if that is not possible.
func (w *world) published(dir string, prefixes ...string) (r *result, ok bool) {
	if !w.p.pushes {
		return nil, false
	}
	var to []string
	for _, p := range prefixes {
		to = append(to, w.host+"/"+p)
	}
	r = w.run(slices.Concat([]string{
		"release", "-product=src/slipway.yaml", "-store=store", "-binary=false",
		"-out=" + dir, "-registry=" + strings.Join(to, ","),
	}, w.now.unpushed(), w.key())...)
	return r, r.code == 0
}

// unpushed are the flags of a release without those that name a registry.
func (r *release) unpushed() []string {
	return slices.DeleteFunc(slices.Clone(r.flags), func(f string) bool { return strings.HasPrefix(f, "-registry=") })
}

var pinnedAt = regexp.MustCompile(`([a-zA-Z0-9.:\-]+/[a-zA-Z0-9./_\-]+)(:[a-zA-Z0-9._\-]+)?@(sha256:[0-9a-f]{64})`)

// pulled checks that every reference of a manifest is in the registry, and below none of some
// prefixes, but for those inside of longer texts: that they stay is reported.
func (w *world) pulled(r *result, file string, nowhere ...string) {
	text, err := os.ReadFile(w.path(file))
	must(w.t, err)
	for _, ref := range pinnedAt.FindAllStringSubmatch(string(text), -1) {
		for _, prefix := range nowhere {
			if strings.HasPrefix(ref[1], prefix+"/") && !strings.Contains(r.stdout, "text with "+ref[1]+" in it") {
				w.fail(r, "%s names %s", file, ref[0])
			}
		}
		if _, err := crane.Digest(ref[1]+"@"+ref[3], crane.Insecure); err != nil && strings.HasPrefix(ref[1], w.host) {
			w.fail(r, "%s names %s: %v", file, ref[0], err)
		}
	}
}

// mirrored promotes a release to a mirror, and from there to two places.
func (w *world) mirrored() {
	defer remove(w.path("pub"))
	n := fmt.Sprint(w.edits)
	if _, ok := w.published("pub", "pub"+n); !ok {
		return
	}
	pub, mirror, x, y := w.host+"/pub"+n, w.host+"/mirror"+n, w.host+"/x"+n+"/deep", w.host+"/y"+n
	lock := "pub/release.lock.json"
	first := w.ok(w.run("promote", lock, "-to="+mirror))
	from := pick(w.t, "from", mirror, pub)
	r := w.ok(w.run("promote", lock, "-from="+from, "-to="+x+","+y))
	l := w.locked("pub")
	for n, to := range []string{mirror, x, y} {
		r := []*result{first, r, r}[n]
		for _, i := range l.Images {
			at := to + strings.TrimPrefix(i.Repository, pub)
			for _, tag := range i.Tags {
				if got, err := crane.Digest(at+":"+tag, crane.Insecure); err != nil || got != i.Digest.String() {
					w.fail(r, "%s:%s is %s after promote, and the lock has %s: %v", at, tag, got, i.Digest, err)
				}
			}
			for _, about := range i.Referrers {
				if _, err := crane.Manifest(at+"@"+about.Digest.String(), crane.Insecure); err != nil {
					w.fail(r, "%s lacks evidence after promote: %v", at, err)
				}
			}
		}
		copied := "pub/release." + strings.NewReplacer(":", "-", "/", "-").Replace(to) + ".yaml"
		if w.exists("pub/release.yaml") != w.exists(copied) {
			w.fail(r, "promote writes a copy of release.yaml: %v", w.exists(copied))
		}
		if w.exists(copied) {
			w.pulled(r, copied, pub)
		}
	}
	w.write("pub/real.yaml", "# images\n")
	must(w.t, os.Symlink("real.yaml", w.path("pub/link.yaml")))
	r = w.ok(w.run("promote", lock, "-images-yaml=pub/link.yaml"))
	text, err := os.ReadFile(w.path("pub/real.yaml"))
	must(w.t, err)
	if fi, err := os.Lstat(w.path("pub/link.yaml")); err != nil || fi.Mode()&os.ModeSymlink == 0 ||
		!strings.Contains(string(text), l.Images[0].Digest.String()) {
		w.fail(r, "the file behind the link lacks the release, or the link is none any more:\n%s", text)
	}
}

// conflict makes a release at two places, of which one has its tags for something else: neither
// gets anything.
func (w *world) conflict() {
	if w.now.pushed != "" || w.p.git {
		return
	}
	defer remove(w.path("taken"))
	n := fmt.Sprint(w.edits)
	if _, ok := w.published("taken", "taken"+n); !ok {
		return
	}
	before := w.locked("taken")
	w.changed()
	r, ok := w.published("taken2", "free"+n, "taken"+n)
	defer remove(w.path("taken2"))
	if ok {
		for k, i := range w.locked("taken2").Images {
			if before.Images[k].Digest != i.Digest {
				w.fail(r, "it moves the tag of %s, which never moves", i.Name)
			}
		}
		return // the program is in no image
	}
	for _, i := range before.Images {
		at := w.host + "/free" + n + strings.TrimPrefix(i.Repository, w.host+"/taken"+n)
		if tags, err := crane.ListTags(at, crane.Insecure); err == nil && len(tags) > 0 {
			w.fail(r, "%s has %v of a release that another place cannot take", at, tags)
		}
	}
}

// late merges parts of which files for download are missing: no tag is made.
func (w *world) late() {
	artifacts, _ := w.p.yaml["artifacts"].([]object)
	if !w.p.pushes || len(artifacts) == 0 || len(w.p.platforms) < 2 {
		return
	}
	flags := w.now.unpushed()
	defer remove(w.path("late"))
	to := w.host + "/late" + fmt.Sprint(w.edits)
	var parts []string
	for n, on := range w.p.platforms {
		dir := fmt.Sprintf("late/%d", n)
		r := w.run(slices.Concat([]string{
			"release", "-product=src/slipway.yaml", "-store=late/store",
			"-binary=false", "-out=" + dir, "-platforms=" + on, "-registry=" + to,
		}, flags)...)
		if r.code != 0 || !w.exists(dir+"/release.part.json") {
			return // an image is for none of these
		}
		parts = append(parts, dir+"/release.part.json")
	}
	gone := 0
	for name := range w.tree("late") {
		dir, file, _ := strings.Cut(name, "/")
		if len(dir) == 1 && file != "" && file != "release.part.json" && file != "release.weights.json" &&
			file != ".gitignore" {
			remove(w.path("late/" + name))
			w.script = append(w.script, "rm late/"+name)
			gone++
		}
	}
	if gone == 0 {
		return
	}
	r := w.run(slices.Concat([]string{
		"merge", "-product=src/slipway.yaml", "-store=late/other",
		"-binary=false", "-out=late/merged", "-registry=" + to,
	}, flags, parts)...)
	if r.code == 0 {
		w.fail(r, "it merges parts whose files are gone")
	}
	repos, err := crane.Catalog(w.host, crane.Insecure)
	must(w.t, err)
	for _, repo := range repos {
		if !strings.HasPrefix(w.host+"/"+repo, to+"/") {
			continue
		}
		if tags, err := crane.ListTags(w.host+"/"+repo, crane.Insecure); err == nil && len(tags) > 0 {
			w.fail(r, "it fails, and %s has the tags %v", repo, tags)
		}
	}
}
