package explore

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/slipway-dev/slipway/lock"
)

const lockFile = "src/packages.lock.yaml"

// lockPackages locks the packages of Dockerfiles, which changes nothing a second time. Before that,
// nothing is released to a registry.
func (w *world) lockPackages(r *release) {
	if !w.p.locks {
		return
	}
	if r.pushed != "" && !w.p.git { // of which a changed file is wrong first
		refused := w.reads(append([]string{"check", "-product=src/slipway.yaml"}, r.flags...)...)
		made := w.run(slices.Concat([]string{"release"}, w.places("out"), w.makes(r))...)
		for _, r := range []*result{refused, made} {
			if r.code != 1 || !strings.Contains(r.stderr, "run slipway pin") {
				w.fail(r, "nothing has locked the packages")
			}
		}
	}
	store := "-store=store"
	if r.pushed == "" {
		// a snapshot has the packages if its store does, and the laws compare it with those of
		// new stores
		store = "-store=pinned"
	}
	w.ok(w.run("pin", "-product=src/slipway.yaml", store))
	before := w.tree("src")
	for _, more := range []string{"-quiet", "-check", "-update", "-update=security"} {
		r := w.ok(w.run("pin", "-product=src/slipway.yaml", store, more))
		if diff := differ(before, w.tree("src")); diff != "" || before["packages.lock.yaml"] == "" {
			w.fail(r, "packages are locked, and a second time changes files:\n%s", diff)
		}
	}
}

// packages is what packages.lock.yaml says.
type packages struct {
	Commands []struct {
		Image, Platform, Command string
		Packages                 []struct{ Name, Version, Action string }
	}
}

func (w *world) packages() (all packages) {
	text, err := os.ReadFile(w.path(lockFile))
	must(w.t, err)
	must(w.t, yaml.Unmarshal(text, &all))
	return all
}

// installed checks that images have the packages that are locked: bills of materials say so, and
// the page names scripts that were skipped.
func (w *world) installed(r *result, l *lock.Lock, dir string) {
	if !w.p.locks || l.Snapshot {
		return
	}
	want := map[string]map[string]string{} // versions by name, by image and platform
	for _, c := range w.packages().Commands {
		if c.Image == "" {
			continue // a base
		}
		at := c.Image + " " + c.Platform
		if want[at] == nil {
			want[at] = map[string]string{}
		}
		for _, p := range c.Packages {
			if strings.HasPrefix(c.Command, "apt-get download ") {
				continue
			}
			want[at][p.Name] = p.Version
			if p.Action != "" {
				want[at][p.Name] = ""
			}
		}
	}
	page, err := os.ReadFile(w.path(dir + "/index.html"))
	must(w.t, err)
	for at, all := range want {
		image, _, _ := strings.Cut(at, " ")
		bill, err := os.ReadFile(w.path(dir + "/sbom/" + image + ".spdx.json"))
		must(w.t, err)
		for name, version := range all {
			purl := "pkg:deb/debian/" + name + "@" + strings.ReplaceAll(version, ":", "%3A")
			if version != "" && !bytes.Contains(bill, []byte(purl)) {
				w.fail(r, "%s was installed in %s, and its bill of materials has no %s", name, at, purl)
			}
		}
		if all["agent"] != "" && !strings.Contains(string(page), skipped) {
			w.fail(r, "the page does not say why a script is skipped")
		}
	}
}

// later makes the release after the archive has dropped versions: from the store as before, and
// elsewhere from a mirror.
func (w *world) later() {
	if !w.p.locks || w.exists("later") {
		return
	}
	w.script = append(w.script, "# the repository has newer versions")
	archives().moved.Store(true)
	defer archives().moved.Store(false)
	w.again()
	at := []string{"-product=src/slipway.yaml", "-store=later/store", "-out=later/out"}
	made := w.run(slices.Concat([]string{"release"}, at, w.makes(w.now))...)
	switch {
	case made.code == 0:
		w.same("a day later", "later/out")
	case w.p.packages()["mirrors"] != nil || w.now.pushed == "":
		w.fail(made, "a mirror has the packages")
	case !strings.Contains(made.stderr, "packages.mirrors"):
		w.fail(made, "it does not say what to do about packages that are gone")
	}
	if w.now.pushed != "" && made.code == 0 {
		w.reproduce()
	}
	remove(w.path("later"))
}

// renew pins after the archive has newer versions: only if it is asked to.
func (w *world) renew() {
	if !w.p.locks || w.exists("renewed") {
		return
	}
	w.copyTo("renewed")
	defer remove(w.path("renewed"))
	w.script = append(w.script, "# the repository has newer versions")
	archives().moved.Store(true)
	defer archives().moved.Store(false)
	pin := func(args ...string) *result {
		return w.runIn("renewed", slices.Concat([]string{"pin", "-product=src/slipway.yaml", "-store=store"}, args)...)
	}
	before := w.tree("renewed/src")
	if r := w.ok(pin()); differ(before, w.tree("renewed/src")) != "" {
		w.fail(r, "without -update it changes files")
	}
	outdated := pin("-check").code != 0
	if diff := differ(before, w.tree("renewed/src")); diff != "" {
		w.fail(nil, "-check changes files:\n%s", diff)
	}
	if maybe(w.t, 2, "security") {
		r := w.ok(pin("-update=security"))
		text, err := os.ReadFile(w.path("renewed/" + lockFile))
		must(w.t, err)
		if bytes.Contains(text, []byte("2:1.1-1")) {
			w.fail(r, "what no security suite has is updated")
		}
	}
	r := w.ok(pin("-update", "-json"))
	var said struct{ Packages []any }
	must(w.t, json.Unmarshal([]byte(r.stdout), &said))
	if outdated && differ(before, w.tree("renewed/src")) == "" {
		w.fail(r, "-check says that something is newer, and -update changes nothing")
	}
	before = w.tree("renewed/src")
	w.ok(pin("-update"))
	w.ok(pin("-check"))
	if diff := differ(before, w.tree("renewed/src")); diff != "" {
		w.fail(r, "a second update changes files:\n%s", diff)
	}
	if !w.p.pushes {
		return
	}
	to := []string{"-product=src/slipway.yaml", "-registry=" + w.host + "/renewed"}
	for _, f := range w.now.flags {
		if flagOf(f) != "registry" {
			to = append(to, f)
		}
	}
	checked := w.runIn("renewed", append([]string{"check"}, to...)...)
	made := w.runIn("renewed", slices.Concat([]string{"release", "-binary=false", "-store=store", "-out=new"}, to)...)
	if (checked.code == 0) != (made.code == 0) && !told(made) {
		w.fail(made, "check ended with %d: %s%s", checked.code, checked.stdout, checked.stderr)
	}
}

var whereHex = regexp.MustCompile(`[0-9a-f]{64}`)

// relock changes packages.lock.yaml: then nothing is released, or the same images.
func (w *world) relock() {
	if !w.p.locks || w.now.pushed == "" || w.p.git {
		return
	}
	must(w.t, os.MkdirAll(w.path("relocked"), 0o755))
	must(w.t, os.CopyFS(w.path("relocked/src"), os.DirFS(w.path("src"))))
	defer remove(w.path("relocked"))
	text, err := os.ReadFile(w.path(lockFile))
	must(w.t, err)
	at := rapid.IntRange(0, len(text)-1).Draw(w.t, "at")
	how := pick(w.t, "change", "cut", "digit", "digit", "byte")
	switch how {
	case "cut":
		text = text[:at]
	case "digit":
		const digits = "0123456789abcdef"
		all := whereHex.FindAllIndex(text, -1)
		at = all[rapid.IntRange(0, len(all)-1).Draw(w.t, "hash")][1] - 1
		text[at] = digits[(strings.IndexByte(digits, text[at])+1)%len(digits)]
	case "byte":
		text[at] = "0 :x\n,}"[below(7).Draw(w.t, "by")]
	}
	w.script = append(w.script, fmt.Sprintf("exec cp -r src relocked\n# %s at byte %d of relocked/%s", how, at, lockFile))
	must(w.t, os.WriteFile(w.path("relocked/"+lockFile), text, 0o600))
	r := w.runIn("relocked", slices.Concat([]string{
		"release", "-product=src/slipway.yaml", "-binary=false", "-out=out", "-store=store",
	}, w.now.flags)...)
	if r.code != 0 {
		return
	}
	was, is := w.locked("out"), w.locked("relocked/out")
	for n, i := range was.Images {
		if is.Images[n].Digest != i.Digest {
			w.fail(r, "a changed lock of packages gives another image %s:\n%s", i.Name, text)
		}
	}
}
