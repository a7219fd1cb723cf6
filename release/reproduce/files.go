package reproduce

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// member is a file of an archive.
type member struct {
	metadata string // everything but the content
	sum      [sha256.Size]byte
	size     int64
	data     []byte // nil if it was not kept
}

// maxKept bounds the bytes of an archive that are kept for the comparison, maxBytes the archive.
const (
	maxKept  = 256 << 20
	maxBytes = 16 << 30
)

// files compares two files: archives file by file, others as they are.
func (c *comparison) files(name string, was, is opener) ([]Cause, error) {
	x, y, err := both(was, is, func(open opener) (map[string]member, error) { return members(open, nil) })
	if err != nil {
		return nil, err
	}
	if x == nil || y == nil {
		a, b, err := both(was, is, readAll)
		if err != nil {
			return nil, err
		}
		return content(name, a, b), nil
	}
	if kept := differing(x, y); len(kept) > 0 {
		x, y, err = both(was, is, func(open opener) (map[string]member, error) { return members(open, kept) })
		if err != nil {
			return nil, err
		}
	}
	return compareMembers(x, y), nil
}

// differing returns the names of the files whose bytes are compared: those in both archives that
// differ, as many as may be kept.
func differing(x, y map[string]member) map[string]bool {
	names, kept := map[string]bool{}, int64(0)
	for _, n := range slices.Sorted(maps.Keys(x)) {
		a, b := x[n], y[n]
		if b.metadata == "" || a.sum == b.sum || kept+max(a.size, b.size) > maxKept {
			continue
		}
		kept += max(a.size, b.size)
		if names[n] = true; len(names) == maxCauses {
			break
		}
	}
	return names
}

// compareMembers compares the files of two archives.
func compareMembers(x, y map[string]member) []Cause {
	var causes []Cause
	for _, n := range keys(x, y) {
		a, shipped := x[n]
		b, made := y[n]
		switch {
		case !made:
			causes = append(causes, Cause{File: n, Why: "it was not made here"})
		case !shipped:
			causes = append(causes, Cause{File: n, Why: "the release does not have it"})
		case a.sum != b.sum:
			causes = append(causes, content(n, a.data, b.data)...)
		case a.metadata != b.metadata:
			causes = append(causes, Cause{File: n, Why: fmt.Sprintf("it is %s, made here %s", a.metadata, b.metadata)})
		}
		if len(causes) >= maxCauses {
			return append(causes[:maxCauses], Cause{Why: "and more"})
		}
	}
	if len(causes) == 0 {
		causes = []Cause{{Why: "all files are the same: they were packed or compressed in another way"}}
	}
	return causes
}

// content compares two files.
func content(name string, a, b []byte) []Cause {
	if a == nil || b == nil {
		return []Cause{{File: name, Why: "it differs, and is too large to be looked into"}}
	}
	var causes []Cause
	if isText(a) && isText(b) {
		causes = lines(a, b)
		for n := range causes {
			causes[n].File = name
		}
		return causes
	}
	for _, why := range append(programs(a, b), offset(a, b)) {
		causes = append(causes, Cause{File: name, Why: why})
	}
	return causes
}

// isText reports whether people read a file line by line.
func isText(b []byte) bool { return len(b) < 1<<20 && utf8.Valid(b) && !bytes.ContainsRune(b, 0) }

// members reads an archive, and keeps the bytes of some files; nil if it is not an archive.
func members(open opener, kept map[string]bool) (map[string]member, error) {
	f, err := open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, 4)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, nil //nolint:nilnil // too small for an archive
	}
	r := io.MultiReader(bytes.NewReader(head), f)
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, err
		}
		return tarMembers(z, kept)
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return tarMembers(z, kept)
	case bytes.Equal(head, []byte("PK\x03\x04")):
		text, err := io.ReadAll(io.LimitReader(r, maxFile))
		if err != nil {
			return nil, err
		}
		return zipMembers(text, kept)
	}
	return nil, nil //nolint:nilnil // it is not an archive
}

func tarMembers(r io.Reader, kept map[string]bool) (map[string]member, error) {
	all := map[string]member{}
	for t := tar.NewReader(io.LimitReader(r, maxBytes)); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		m, err := newMember(t, kept[h.Name])
		if err != nil {
			return nil, err
		}
		m.metadata = fmt.Sprintf("a file of type %c, mode %o, owner %d:%d, time %s", h.Typeflag,
			h.Mode, h.Uid, h.Gid, h.ModTime.UTC().Format("2006-01-02T15:04:05Z"))
		if h.Linkname != "" {
			m.metadata += ", link to " + h.Linkname
		}
		all[h.Name] = m
	}
}

func zipMembers(text []byte, kept map[string]bool) (map[string]member, error) {
	z, err := zip.NewReader(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	all := map[string]member{}
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			return nil, err
		}
		m, err := newMember(r, kept[f.Name])
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		m.metadata = fmt.Sprintf("a file of mode %s, time %s", f.Mode(),
			f.Modified.UTC().Format("2006-01-02T15:04:05Z"))
		all[f.Name] = m
	}
	return all, nil
}

func newMember(r io.Reader, keep bool) (m member, err error) {
	h := sha256.New()
	w := io.Writer(h)
	var b bytes.Buffer
	if keep {
		w = io.MultiWriter(h, &b)
		r = io.LimitReader(r, maxKept)
	}
	m.size, err = io.Copy(w, r)
	if keep {
		if m.data = b.Bytes(); m.data == nil {
			m.data = []byte{}
		}
	}
	m.sum = [sha256.Size]byte(h.Sum(nil))
	return m, err
}
