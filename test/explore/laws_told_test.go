//go:build linux

package explore

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/lock"
)

// agree checks that the files of a release state the same: the lock, the page, the bills of
// materials and the statement name the same images by the same digests.
func (w *world) agree(r *result, dir string) {
	l := w.locked(dir)
	texts := map[string]string{}
	for _, name := range []string{"index.html", "provenance.json", l.Name + "-" + l.Version + ".cdx.json"} {
		text, err := os.ReadFile(w.path(dir + "/" + name))
		must(w.t, err)
		texts[name] = string(text)
	}
	for _, i := range l.Images {
		bill, err := os.ReadFile(w.path(dir + "/sbom/" + i.Name + ".spdx.json"))
		must(w.t, err)
		texts["sbom"] = string(bill)
		for name, text := range texts {
			if !strings.Contains(text, i.Digest.Hex) {
				w.fail(r, "%s does not name %s by its digest %s", name, i.Name, i.Digest)
			}
			for _, c := range i.Children {
				if !strings.Contains(text, c.Digest.Hex) {
					w.fail(r, "%s does not name %s of %s by its digest %s", name, c.Platform, i.Name, c.Digest)
				}
			}
		}
		w.versions(r, l, i, bill)
	}
	for _, a := range l.Artifacts {
		if !strings.Contains(texts["provenance.json"], a.Digest.Hex) {
			w.fail(r, "the statement does not name %s by its digest", a.File)
		}
	}
	w.floats(r, l)
}

// versions checks that a bill of materials has the version of an image.
func (w *world) versions(r *result, l *lock.Lock, i lock.Image, bill []byte) {
	want := l.Version
	for _, in := range w.p.yaml["images"].([]object) {
		if v, ok := in["version"].(string); ok && in["name"] == i.Name {
			want = v
		}
	}
	var b struct {
		Packages []struct{ Name, VersionInfo string }
	}
	must(w.t, json.Unmarshal(bill, &b))
	for _, p := range b.Packages {
		if p.Name == i.Repository && p.VersionInfo != want {
			w.fail(r, "the bill of materials of %s has version %s, and the image has %s", i.Name, p.VersionInfo, want)
		}
	}
}

// floats checks which versions have floating tags, where no channel decides that.
func (w *world) floats(r *result, l *lock.Lock) {
	if l.Channel != "" {
		return
	}
	v := "v" + strings.TrimPrefix(l.Version, "v")
	for _, i := range l.Published() {
		if semver.Prerelease(v) != "" && len(i.FloatingTags) > 0 {
			w.fail(r, "the prerelease %s has floating tags of %s: %v", l.Version, i.Name, i.FloatingTags)
		}
	}
	names, _ := w.p.yaml["names"].(object)
	all, _ := names["floatingTags"].([]string)
	if semver.IsValid(v) || !slices.Contains(all, "latest") {
		return
	}
	for _, i := range l.Images {
		own := slices.ContainsFunc(w.p.yaml["images"].([]object), func(in object) bool {
			return in["name"] == i.Name && (in["version"] != nil || in["floatingTags"] != nil)
		})
		if !own && len(i.FloatingTags) == 0 {
			w.fail(r, "%s of the version %s has no floating tags", i.Name, l.Version)
		}
	}
}

// half makes a part, and reads what it prints: names are for merge to give.
func (w *world) half() {
	args := slices.Concat([]string{
		"release", "-product=src/slipway.yaml", "-store=store", "-binary=false",
		"-json", "-out=half",
	}, w.now.flags)
	r := w.run(append(args, "-platforms="+pick(w.t, "platform", w.p.platforms...))...)
	defer remove(w.path("half"))
	if r.code != 0 || !w.exists("half/release.part.json") {
		return
	}
	var s struct {
		FloatingTags []any
		Images       []struct{ Name, Digest string }
		Files        []struct{ Name string }
	}
	must(w.t, json.Unmarshal([]byte(r.stdout), &s))
	if len(s.FloatingTags) > 0 {
		w.fail(r, "a part has floating tags, which only merge moves")
	}
	for _, f := range s.Files {
		if !w.exists("half/" + f.Name) {
			w.fail(r, "it names %s, which is not there", f.Name)
		}
	}
}
