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
	about string // everything but the content
	sum   [sha256.Size]byte
	data  []byte // nil above maxMember
}

// maxMember bounds the size of a file that is compared byte by byte, and maxBytes that of an
// archive.
const (
	maxMember = 256 << 20
	maxBytes  = 16 << 30
)

// files compares two files: archives file by file, others as they are.
func (c *comparison) files(name string, was, is func() (io.ReadCloser, error)) ([]Cause, error) {
	x, err := members(was)
	if err != nil {
		return nil, err
	}
	y, err := members(is)
	if err != nil {
		return nil, err
	}
	if x == nil || y == nil {
		a, err := readAll(was)
		if err != nil {
			return nil, err
		}
		b, err := readAll(is)
		if err != nil {
			return nil, err
		}
		return content(name, a, b), nil
	}
	return compareMembers(x, y), nil
}

// compareMembers compares the files of two archives.
func compareMembers(x, y map[string]member) []Cause {
	var causes []Cause
	names := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(names)
	for _, n := range slices.Compact(names) {
		a, was := x[n]
		b, is := y[n]
		switch {
		case !is:
			causes = append(causes, Cause{File: n, Why: "it was not made here"})
		case !was:
			causes = append(causes, Cause{File: n, Why: "the release does not have it"})
		case a.sum != b.sum:
			causes = append(causes, content(n, a.data, b.data)...)
		case a.about != b.about:
			causes = append(causes, Cause{File: n, Why: fmt.Sprintf("it is %s, made here %s", a.about, b.about)})
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
		for _, c := range lines(a, b) {
			causes = append(causes, Cause{File: name, Why: c.Why})
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

// members reads an archive; nil if it is none.
func members(open func() (io.ReadCloser, error)) (map[string]member, error) {
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
		return tarMembers(z)
	case bytes.Equal(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(r)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return tarMembers(z)
	case bytes.Equal(head, []byte("PK\x03\x04")):
		text, err := io.ReadAll(io.LimitReader(r, maxFile))
		if err != nil {
			return nil, err
		}
		return zipMembers(text)
	}
	return nil, nil //nolint:nilnil // it is not an archive
}

func tarMembers(r io.Reader) (map[string]member, error) {
	all := map[string]member{}
	for t := tar.NewReader(io.LimitReader(r, maxBytes)); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		m, err := newMember(t)
		if err != nil {
			return nil, err
		}
		m.about = fmt.Sprintf("a file of type %c, mode %o, owner %d:%d, time %s", h.Typeflag, h.Mode, h.Uid, h.Gid, h.ModTime.UTC().Format("2006-01-02T15:04:05Z"))
		if h.Linkname != "" {
			m.about += ", link to " + h.Linkname
		}
		all[h.Name] = m
	}
}

func zipMembers(text []byte) (map[string]member, error) {
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
		m, err := newMember(r)
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, err
		}
		m.about = fmt.Sprintf("a file of mode %s, time %s", f.Mode(), f.Modified.UTC().Format("2006-01-02T15:04:05Z"))
		all[f.Name] = m
	}
	return all, nil
}

func newMember(r io.Reader) (m member, err error) {
	h := sha256.New()
	var b bytes.Buffer
	n, err := io.Copy(io.MultiWriter(h, &b), io.LimitReader(r, maxMember+1))
	if err == nil && n > maxMember {
		b.Reset()
		_, err = io.Copy(h, r)
	} else {
		m.data = append([]byte{}, b.Bytes()...)
	}
	m.sum = [sha256.Size]byte(h.Sum(nil))
	return m, err
}
