//go:build linux

package explore

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// old cleans by age: nothing that is in use, and what it reports as removed is removed.
func (w *world) old() {
	if r := w.reads("store", "clean", "-older="+pick(w.t, "age", "213504d", "99999999d", "0d"), "-dry-run", "-out=out",
		"-store=store"); r.code == 0 {
		w.fail(r, "it takes an age that no time can be")
	}
	must(w.t, os.CopyFS(w.path("aside"), os.DirFS(w.path("out"))))
	w.script = append(w.script, "exec cp -r out aside")
	at := time.Now().Add(pick(w.t, "time", 2*time.Hour, 1000*time.Hour))
	if maybe(w.t, 2, "sums alone") {
		at = time.Now().Add(-1000 * time.Hour)
		for _, name := range []string{"release.lock.json", "release.part.json", ".release.files.json"} {
			remove(w.path("aside/" + name))
			w.script = append(w.script, "rm aside/"+name)
		}
	}
	must(w.t, filepath.WalkDir(w.path("aside"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, at, at)
	}))
	w.script = append(w.script,
		"# the times of all files in aside: "+time.Until(at).Round(time.Hour).String()+" from now")
	r := w.run("store", "clean", "-older=7d", "-json", "-out=aside", "-store=none")
	var all struct {
		All []struct{ Where, Kept string }
	}
	must(w.t, json.Unmarshal([]byte(r.stdout), &all))
	for _, l := range all.All {
		if l.Kept == "" && w.exists("aside") {
			w.fail(r, "it says that %s was removed, which is there", l.Where)
		}
	}
	if at.After(time.Now()) && !w.exists("aside/SHA256SUMS") {
		w.fail(r, "it removes what was written a moment ago, by its time in the future")
	}
	remove(w.path("aside"))
}
