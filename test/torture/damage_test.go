//go:build linux && amd64

package torture

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ways are what can happen to a file. nil removes it.
var ways = []struct {
	name string
	do   func(b []byte, r *rand.Rand) []byte
}{
	{"emptied", func([]byte, *rand.Rand) []byte { return []byte{} }},
	{"halved", func(b []byte, _ *rand.Rand) []byte { return b[:len(b)/2] }},
	{"flipped-start", func(b []byte, r *rand.Rand) []byte { return flip(b, r.IntN(min(len(b), 16)), r) }},
	{"flipped-middle", func(b []byte, r *rand.Rand) []byte { return flip(b, r.IntN(len(b)), r) }},
	{"flipped-end", func(b []byte, r *rand.Rand) []byte { return flip(b, len(b)-1-r.IntN(min(len(b), 16)), r) }},
	{"garbage", func(b []byte, r *rand.Rand) []byte { return garbage(len(b), r) }},
	{"removed", func([]byte, *rand.Rand) []byte { return nil }},
}

func flip(b []byte, at int, r *rand.Rand) []byte {
	b = bytes.Clone(b)
	b[at] ^= 1 << r.IntN(8)
	return b
}

func garbage(n int, r *rand.Rand) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// damage makes cases of every file of a scenario's store and outputs, or of its input. Workers
// name some of these files by their own paths, so a case knows a file by its kind and by its
// place among the files of that kind.
func damage(s *scenario, dirs ...string) (cases []fault) {
	for _, dir := range dirs {
		classes := surveyed[s].files[dir]
		for _, class := range slices.Sorted(maps.Keys(classes)) {
			for n := range classes[class] {
				for _, way := range ways {
					cases = append(cases, fault{
						kind: "damage", scenario: s, name: fmt.Sprintf("%s/%s-%d/%s",
							s.name, strings.ReplaceAll(class, "/", "-"), n+1, way.name),
						strike: func(w *worker, r *rand.Rand) outcome {
							path := w.classes(dir)[class][n]
							w.hurt(path, func(b []byte) []byte { return way.do(b, r) })
							o := w.run(s.command)
							o.hits = []call{{name: way.name, path: path}}
							return o
						},
						mend: mendDamage(s, dir),
					})
				}
			}
		}
	}
	return cases
}

var digest = regexp.MustCompile(`[0-9a-f]{12,}`)

// classes groups the files below a directory of the worker: those whose names differ by a digest
// only are of one class.
func (w *worker) classes(dir string) map[string][]string {
	all := map[string][]string{}
	if _, err := os.Stat(filepath.Join(w.dir, dir)); err != nil || dir == "" {
		return all
	}
	w.must(filepath.WalkDir(filepath.Join(w.dir, dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			class := digest.ReplaceAllString(strings.TrimPrefix(path, w.dir+"/"), "HEX")
			all[class] = append(all[class], path)
		}
		return err
	}))
	for _, paths := range all {
		slices.SortStableFunc(paths, func(a, b string) int { return int(size(a) - size(b)) })
	}
	return all
}

func size(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// hurt changes a file and keeps its time, and its size where the way does: so is rot.
func (w *worker) hurt(path string, way func([]byte) []byte) {
	info, err := os.Stat(path)
	w.must(err)
	b, err := os.ReadFile(path)
	w.must(err)
	if b = way(b); b == nil {
		w.must(os.Remove(path))
		return
	}
	w.must(os.WriteFile(path, b, info.Mode().Perm()))
	w.must(os.Chtimes(path, info.ModTime(), info.ModTime()))
}

var (
	repair  = regexp.MustCompile(`slipway store verify[^\n]*-repair`)
	discard = regexp.MustCompile(`delete (/\S+) and run again`)
	move    = regexp.MustCompile(`name another directory with -out`)
	rebuild = regexp.MustCompile(
		`build (it |and publish )?again|slipway (build|publish|release)|mage (build|publish|release)`)
)

// mendDamage puts the input back. Of a command with a store it first asks for everything once
// more: what the first run had no need to read is read then. Then it does what the messages say.
func mendDamage(s *scenario, dir string) func(w *worker, o outcome, res *result) {
	return func(w *worker, o outcome, res *result) {
		if s.input == dir {
			b, err := os.ReadFile(filepath.Join(w.saved, s.name, s.input))
			w.must(err)
			w.must(os.WriteFile(filepath.Join(w.dir, s.input), b, 0o644))
			return
		}
		if o.code == 0 && strings.HasPrefix(s.name, "release") {
			w.must(os.RemoveAll(filepath.Join(w.dir, "out")))
			o = w.run(s.command)
			w.first(fault{scenario: s}, o, res)
		}
		for range 3 {
			if o.code == 0 || !w.follow(s, o.stderr) {
				break
			}
			o = w.run(s.command)
		}
		if len(checkStore(w.dir)) > 0 { // no run had to read it
			w.run("store verify -repair -store=store")
		}
	}
}

// follow does what a message says, and reports whether it says anything.
func (w *worker) follow(s *scenario, message string) bool {
	paths := discard.FindAllStringSubmatch(message, -1)
	for _, m := range paths {
		if strings.HasPrefix(m[1], w.dir+"/") {
			os.Remove(m[1]) //nolint:errcheck // two lines may name the same file
		}
	}
	if move.MatchString(message) { // or delete existing files
		w.must(os.RemoveAll(filepath.Join(w.dir, "out")))
		return true
	}
	repairs, builds := repair.MatchString(message), rebuild.MatchString(message)
	if repairs {
		w.run("store verify -repair -store=store")
	}
	if builds {
		for _, step := range s.before {
			if strings.HasPrefix(step, "stage build") || strings.HasPrefix(step, "stage publish") {
				w.run(step)
			}
		}
	}
	return len(paths) > 0 || repairs || builds
}

// damages are all cases of damaged files.
func damages() (cases []fault) {
	for _, name := range []string{"release-again", "publish-to", "pack"} {
		cases = append(cases, damage(find(name), "store")...)
	}
	cases = append(cases, damage(find("release-again"), "out")...)
	cases = append(cases, damage(find("release-binary"), "out")...)
	for _, s := range scenarios {
		if s.input != "" && s.registry != debian {
			cases = append(cases, damage(s, s.input)...)
		}
	}
	return cases
}
