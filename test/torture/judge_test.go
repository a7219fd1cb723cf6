//go:build linux && amd64

package torture

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/report"
)

// verdict is what a case shows.
type verdict int

const (
	right verdict = iota // the run succeeded, or was killed and the next one succeeded
	said                 // it failed, and said what and where; the next one succeeded
	lost                 // the next run failed, or made other files
	// it succeeded with other files than an undisturbed run, or failed without saying why
	wrong
	hung // it did not end
	verdicts
)

var verdictNames = [verdicts]string{
	right: "right", said: "clear error", wrong: "wrong", lost: "not resumable",
	hung: "hung",
}

// file is what a tree has under a name.
type file struct {
	mode fs.FileMode
	sum  string
	size int64
}

// tree maps paths below a directory to their contents.
type tree map[string]file

// look reads a whole directory. Not in it are the storage of a registry and the store's memory,
// which may differ.
func look(dir string) (tree, error) {
	t := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if name == "registry" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		f := file{mode: info.Mode()}
		if d.Type().IsRegular() && d.Name() != times.FileName && d.Name() != report.RunName { // times
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			f.sum, f.size = hex.EncodeToString(sum[:]), int64(len(data))
		}
		t[name] = f
		return nil
	})
	return t, err
}

// internal reports whether a path is slipway's own business, so that only leftovers count there.
func internal(path string) bool {
	return top(path) == "store" || top(path) == "tmp" || filepath.Base(path) == ".gitignore"
}

func top(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}

// differs reports which files of want are missing or other ones in t, without those that are
// internal.
func (t tree) differs(want tree) (all []string) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		have, ok := t[name]
		switch {
		case internal(name):
		case !ok:
			all = append(all, name+" is missing")
		case have != want[name]:
			all = append(all, fmt.Sprintf("%s is %v, %d bytes, %.8s; undisturbed it is %v, %d bytes, %.8s", name,
				have.mode, have.size, have.sum, want[name].mode, want[name].size, want[name].sum))
		}
	}
	return all
}

// expected are names that a store may have more of than after an undisturbed run: memory, and
// blobs, which checkStore reads.
var expected = regexp.MustCompile(
	`^tmp$|^store/cache(/[a-z0-9]+(/[0-9a-f]{64}(\.json)?)?)?$|^store/blobs/sha256/[0-9a-f]{64}$`)

// scratch are the files of temporary directories in TMPDIR.
var scratch = regexp.MustCompile(`^tmp/slipway-\d+\.tmp(/|$)`)

// leftovers are the files that an undisturbed run has not.
func (t tree) leftovers(want tree) (names []string, bytes int64) {
	for _, name := range slices.Sorted(maps.Keys(t)) {
		if _, ok := want[name]; !ok && !expected.MatchString(name) {
			names = append(names, name)
			bytes += t[name].size
		}
	}
	return names, bytes
}

// sums checks SHA256SUMS as `sha256sum -c --strict` does.
func (t tree) sums(dir string) (all []string) {
	text, err := os.ReadFile(filepath.Join(dir, "out", "SHA256SUMS"))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		switch f, there := t["out/"+name]; {
		case !ok || len(sum) != 64:
			all = append(all, fmt.Sprintf("SHA256SUMS has the malformed line %q", line))
		case !there || f.sum != sum:
			all = append(all, "SHA256SUMS does not hold for "+name)
		}
	}
	return all
}

// checkStore reads a store without slipway: the name of a blob is its digest, and what index.json
// refers to is there, but for the layer of the base.
func checkStore(dir string) (all []string) {
	blobs := filepath.Join(dir, "store", "blobs", "sha256")
	entries, err := os.ReadDir(blobs)
	if err != nil {
		return nil // there is no store
	}
	broken := map[string]bool{}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(blobs, e.Name()))
		if sum := sha256.Sum256(data); err != nil || hex.EncodeToString(sum[:]) != e.Name() {
			all = append(all, "store: blob "+e.Name()+" has other content than its name says")
			broken[e.Name()] = true
		}
	}
	index, err := os.ReadFile(filepath.Join(dir, "store", "index.json"))
	if err != nil {
		return append(all, "store: "+err.Error())
	}
	seen := map[string]bool{}
	var follow func(from string, data []byte)
	follow = func(from string, data []byte) {
		type descriptor struct {
			Digest string
			URLs   []string
		}
		var m struct {
			Config            *descriptor
			Manifests, Layers []descriptor
		}
		if err := json.Unmarshal(data, &m); err != nil {
			all = append(all, "store: "+from+": "+err.Error())
			return
		}
		if m.Config != nil {
			m.Layers = append(m.Layers, *m.Config)
		}
		for _, d := range append(m.Manifests, m.Layers...) {
			name := strings.TrimPrefix(d.Digest, "sha256:")
			if seen[name] || broken[name] || len(d.URLs) > 0 {
				continue
			}
			seen[name] = true
			data, err := os.ReadFile(filepath.Join(blobs, name))
			if err != nil && name != ofBase().Hex {
				all = append(all, "store: "+from+" refers to "+name+", which is missing")
			} else if slices.ContainsFunc(m.Manifests, func(x descriptor) bool { return x.Digest == d.Digest }) {
				follow(name, data)
			}
		}
	}
	follow("index.json", index)
	return all
}

// outputs are the files of the release.
func (t tree) outputs() tree {
	out := maps.Clone(t)
	maps.DeleteFunc(out, func(name string, _ file) bool { return top(name) != "out" })
	return out
}

var place = regexp.MustCompile(`[/"'.:]`)

// unclear says why a message does not help its reader, or nothing.
func unclear(o outcome) string {
	errors := 0
	for line := range strings.Lines(o.stderr) {
		switch {
		case strings.HasPrefix(line, "goroutine ") || strings.HasPrefix(line, "panic:") ||
			strings.HasPrefix(line, "fatal error:"):
			return "the program crashed"
		case len(line) > 2000:
			return "a line has more than 2,000 characters"
		case strings.HasPrefix(line, "error:"):
			errors++
			if !place.MatchString(strings.TrimPrefix(line, "error:")) {
				return "the error names nothing"
			}
		}
		if strings.ContainsFunc(strings.TrimSuffix(line, "\n"), func(r rune) bool {
			return r < ' ' && r != '\t' || r == 0x7f
		}) {
			return "the message has control characters"
		}
	}
	if errors == 0 {
		return "there is no line that begins with error:"
	}
	return ""
}
