package git

import (
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/regular"
)

// maxRefs bounds packed-refs, far beyond real ones.
const maxRefs = 256 << 20

var (
	isHash = lazyregexp.New(`^([0-9a-f]{40}|[0-9a-f]{64})$`)
	isRef  = lazyregexp.New(`^refs/[^\x00-\x20\x7f]+$`)
)

// refs returns the refs of a repository in the form of packed-refs.
func (p place) refs() ([]byte, error) {
	known, symbolic := map[string]string{}, map[string]string{}
	packed, err := regular.ReadMost(filepath.Join(p.common, "packed-refs"), maxRefs)
	if err != nil && !missing(err) {
		return nil, err
	}
	for line := range strings.Lines(string(packed)) {
		if hash, name, ok := strings.Cut(strings.TrimRight(line, "\r\n"), " "); ok && isHash.MatchString(hash) &&
			isRef.MatchString(name) {
			known[name] = hash
		}
	}
	top := filepath.Join(p.common, "refs")
	err = filepath.WalkDir(top, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(file, ".lock") {
			return err
		}
		rel, err := filepath.Rel(p.common, file)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		text, err := regular.ReadMost(file, maxText)
		if err != nil {
			return err
		}
		hash := strings.TrimSpace(string(text))
		switch to, ok := strings.CutPrefix(hash, "ref:"); {
		case !isRef.MatchString(name):
		case ok:
			symbolic[name] = strings.TrimSpace(to)
		case isHash.MatchString(hash):
			known[name] = hash
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for name, to := range symbolic {
		for range 5 {
			if symbolic[to] != "" {
				to = symbolic[to]
			}
		}
		if hash := known[to]; hash != "" {
			known[name] = hash
		}
	}
	var b strings.Builder
	b.WriteString("# pack-refs with: sorted \n")
	for _, name := range slices.Sorted(maps.Keys(known)) {
		b.WriteString(known[name] + " " + name + "\n")
	}
	return []byte(b.String()), nil
}

// head returns the checked-out commit: a hash, or a ref with "ref: " before it.
func (p place) head() (string, error) {
	text, err := regular.ReadMost(filepath.Join(p.git, "HEAD"), maxText)
	if err != nil {
		return "", err
	}
	head := strings.TrimSpace(string(text))
	if to, ok := strings.CutPrefix(head, "ref:"); ok && isRef.MatchString(strings.TrimSpace(to)) {
		return "ref: " + strings.TrimSpace(to), nil
	}
	if !isHash.MatchString(head) {
		return "", &fs.PathError{Op: "reading", Path: filepath.Join(p.git, "HEAD"), Err: errHead}
	}
	return head, nil
}
