//go:build linux

package explore

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
)

var crash = regexp.MustCompile(`(?m)^(panic:|fatal error:|goroutine \d+ \[|runtime error)`)

// lawful checks what holds for every command, whatever was drawn.
func (w *world) lawful(r *result) {
	switch {
	case r.hung:
		w.fail(r, "it hangs")
	case crash.MatchString(r.stderr + r.stdout):
		w.fail(r, "it crashes")
	case r.code < 0 && r.interrupted && (r.stderr == "" || strings.Contains(r.stderr, "error: ")):
		return // it had not begun, or was about to end
	case r.code < 0 || r.code > 3 && !r.interrupted:
		w.fail(r, "its exit code is %d", r.code)
	}
	if left := w.tree("tmp"); len(left) > 0 {
		w.fail(r, "it leaves %v in TMPDIR", names(left))
	}
	if left := w.running(); len(left) > 0 {
		w.fail(r, "it leaves processes: %q", left)
	}
	if r.code == 0 {
		if strings.Contains(r.stderr, "error: ") {
			w.fail(r, "it succeeds with an error")
		}
		if slices.Contains(r.args, "-json") && !json.Valid([]byte(r.stdout)) && !manyJSON(r.stdout) {
			w.fail(r, "what it prints is not JSON")
		}
		return
	}
	errors := 0
	for l := range strings.Lines(r.stderr) {
		if text, ok := strings.CutPrefix(strings.TrimSuffix(l, "\n"), "error: "); ok {
			errors++
			if text == "" || strings.HasSuffix(text, ": ") || strings.Contains(text, "%!") ||
				strings.Contains(text, "<nil>") {
				w.fail(r, "an error says nothing: %q", l)
			}
		}
	}
	if errors == 0 && r.stdout == "" {
		w.fail(r, "it fails without an error")
	}
}

// manyJSON reports whether text is JSON values with nothing between them.
func manyJSON(text string) bool {
	d := json.NewDecoder(strings.NewReader(text))
	for d.More() {
		var v any
		if d.Decode(&v) != nil {
			return false
		}
	}
	return true
}

// reads runs a command that changes no file.
func (w *world) reads(args ...string) *result {
	before := w.work()
	r := w.run(args...)
	if diff := differ(before, w.work()); diff != "" {
		w.fail(r, "it only reads, and changes files:\n%s", diff)
	}
	return r
}

// work is what a walk has made, without what belongs to the go command.
func (w *world) work() map[string]string {
	all := w.tree(".")
	maps.DeleteFunc(all, func(name, _ string) bool {
		return strings.HasPrefix(name, "home/") || strings.HasPrefix(name, "tmp/")
	})
	return all
}

// complete checks the files of a release: the checksums are true, and list exactly what is there.
func (w *world) complete(r *result, dir string) {
	text, err := os.ReadFile(w.path(dir + "/SHA256SUMS"))
	if err != nil {
		w.fail(r, "a complete release has checksums: %v", err)
	}
	listed := map[string]bool{}
	for l := range strings.Lines(string(text)) {
		sum, name, _ := strings.Cut(strings.TrimSuffix(l, "\n"), "  ")
		data, err := os.ReadFile(w.path(dir + "/" + name))
		if err != nil {
			w.fail(r, "SHA256SUMS lists a file that is not there: %v", err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(data)); got != sum {
			w.fail(r, "SHA256SUMS has another checksum of %s", name)
		}
		listed[name] = true
	}
	for name := range w.tree(dir) {
		if listed[strings.TrimSuffix(name, ".delta")] {
			continue // a delta that makes a bundle stays, and its base need not be here
		}
		if !listed[name] && !strings.HasPrefix(name, "SHA256SUMS") && name != ".gitignore" &&
			!strings.HasSuffix(name, "/") {
			w.fail(r, "SHA256SUMS does not list %s", name)
		}
	}
	w.agree(r, dir)
	w.grouped(r, dir)
}

// tree returns what a directory has: by the path of each file, its mode and digest. Directories end
// with a slash.
func tree(t interface{ Fatal(args ...any) }, dir string) map[string]string {
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			all[name+"/"] = info.Mode().String()
		case info.Mode().IsRegular():
			digest, err := digestOf(path, info)
			if err != nil {
				return err
			}
			all[name] = fmt.Sprintf("%s %x", info.Mode(), digest)
		default:
			to, _ := os.Readlink(path) // empty if it is not a link
			all[name] = info.Mode().String() + " " + to
		}
		return nil
	}))
	return all
}

// digests are those of files that were read before. Whatever changes a file changes one of a seen.
var digests sync.Map

// seen is a file as it was read.
type seen struct {
	device, inode       uint64
	size                int64
	modified, inodeTime int64 // nanoseconds since 1970
}

// digestOf returns the SHA-256 digest of a file, which it reads once.
func digestOf(path string, info fs.FileInfo) ([sha256.Size]byte, error) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return [sha256.Size]byte{}, errors.New("no inode of " + path)
	}
	at := seen{st.Dev, st.Ino, st.Size, st.Mtim.Nano(), st.Ctim.Nano()}
	if was, ok := digests.Load(at); ok {
		return was.([sha256.Size]byte), nil //nolint:forcetypeassert // there are no others
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return [sha256.Size]byte{}, err
	}
	digest := sha256.Sum256(data)
	digests.Store(at, digest)
	return digest, nil
}

// names returns the sorted names of a tree.
func names(tree map[string]string) (all []string) {
	for name := range tree {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// differ states in which files two trees differ; "" if in none. Slipway's locks, which stay in
// directories that are locked, do not count.
func differ(before, after map[string]string) string {
	var all []string
	for name, was := range before {
		if is, ok := after[name]; !ok {
			all = append(all, "- "+name)
		} else if is != was {
			all = append(all, "! "+name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			all = append(all, "+ "+name)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return strings.Join(all, "\n")
}
