package forge

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// directory is a copy of the directory of a release that the forger changes.
type directory struct {
	f    *forger
	path string
	args []string // of verify, besides
}

// files makes a directory of a release and changes it.
func files(name, release string, change func(d *directory)) mechanism {
	return mechanism{name: name, make: func(f *forger) []forgery {
		d := &directory{f: f, path: filepath.Join(f.dir, "dist")}
		if err := os.CopyFS(d.path, os.DirFS(f.w.path(release))); err != nil {
			f.t.Fatal(err)
		}
		change(d)
		args := append([]string{"verify", "-q", "-key=" + f.w.key}, d.args...)
		v := forgery{form: "directory", door: append(args, d.path)}
		v.reads = func(said string) map[string]string { return f.w.unsigned(d.path, said) }
		return []forgery{v}
	}}
}

// take puts a file of another directory of the world under a name.
func (d *directory) take(from, name, as string) {
	d.put(as, get(d.f.t, d.f.w.path(from, name)))
}

func (d *directory) put(name string, text []byte) { put(d.f.t, filepath.Join(d.path, name), text) }

func (d *directory) remove(names ...string) {
	for _, pattern := range names {
		found, err := filepath.Glob(filepath.Join(d.path, pattern))
		if err != nil {
			d.f.t.Fatal(err)
		}
		for _, path := range found {
			if err := os.RemoveAll(path); err != nil {
				d.f.t.Fatal(err)
			}
		}
	}
}

func (d *directory) link(to, name string) {
	d.remove(name)
	if err := os.Symlink(to, filepath.Join(d.path, name)); err != nil {
		d.f.t.Fatal(err)
	}
}

// counted finds how many files verify says that it does not name.
var counted = regexp.MustCompile(`and (\d+) more`)

// unsigned returns who would use files of a directory that are not of the release that was
// verified, and that verify did not name.
func (w *world) unsigned(dir, said string) map[string]string {
	version := newDir
	if v := verified.FindStringSubmatch(said); v != nil {
		version = v[1]
	}
	if strings.HasPrefix(said, "verified: plain ") {
		version = "plain-" + version
	}
	found := map[string]string{}
	unnamed := 0
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		genuine, failed := os.Stat(w.path(version, name))
		if e.IsDir() && (failed == nil && genuine.IsDir() || !strings.HasSuffix(name, ".sh")) {
			return nil
		}
		text, _ := os.ReadFile(path)                  // a link to nowhere is nothing
		want, _ := os.ReadFile(w.path(version, name)) // it is not of the release
		if failed == nil && string(want) == string(text) {
			return nil
		}
		if quoted := strconv.Quote(name); !strings.Contains(said, quoted[1:len(quoted)-1]) &&
			!strings.Contains(said, name) {
			unnamed++
			found[user(name)] = name + " is not of " + version
		}
		return nil
	})
	if m := counted.FindStringSubmatch(said); m != nil && m[1] == strconv.Itoa(unnamed) {
		clear(found) // verify names the first files and counts the others
	}
	if err != nil {
		found["people"] = err.Error()
	}
	return found
}

// user is who uses a file.
func user(name string) string {
	switch {
	case strings.HasSuffix(name, ".sh"):
		return "sh"
	case strings.HasSuffix(name, ".ps1"):
		return "PowerShell"
	case strings.HasSuffix(name, ".tar.zst"):
		return "ctr"
	case strings.HasSuffix(name, ".yaml"):
		return "kubectl"
	case strings.HasPrefix(name, "SHA256SUMS"):
		return "sha256sum, openssl"
	case strings.HasSuffix(name, ".sigstore.json"):
		return "cosign"
	}
	return "people"
}
