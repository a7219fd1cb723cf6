package inventory

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha512"
	"debug/buildinfo"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"runtime/debug"
	"strings"
	"unicode"
	"unicode/utf8"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"golang.org/x/sync/singleflight"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

const (
	kindProgram = "program"
	// format changes whenever the same program would give another record.
	format = 2
)

// The bounds on build information, which is untrusted.
const (
	maxModules  = 10000
	maxSettings = 200
	maxText     = 4096 // bytes of one text
)

func key(h v1.Hash) string { return fmt.Sprintf("%d %s", format, h) }

func record(st *store.Store, r io.ReaderAt, digest v1.Hash, size int64, sha512 []byte) (lock.Program, error) {
	p, err := examine(r, digest, size, sha512)
	if err != nil {
		return lock.Program{}, err
	}
	return p, st.Record(kindProgram, key(digest), p)
}

// examine describes a program by its header and its build information.
func examine(r io.ReaderAt, digest v1.Hash, size int64, sha512 []byte) (lock.Program, error) {
	at := &watched{r: r}
	s, _, err := executable.Read(io.NewSectionReader(at, 0, size))
	if err := cmp.Or(at.err, err); err != nil {
		return lock.Program{}, err
	}
	p := lock.Program{
		Digest: digest, SHA512: hex.EncodeToString(sha512), Size: size, Format: s.Format,
		OS: s.OS, Architecture: s.Architecture,
	}
	if info := readBuildInfo(at); info != nil {
		describe(&p, info)
	}
	if p.Format == "" {
		identify(&p)
	}
	return p, at.err
}

// identify takes from the build information what a header of another format states.
func identify(p *lock.Program) {
	for _, s := range p.Settings {
		switch s.Key {
		case "GOOS":
			p.OS = s.Value
		case "GOARCH":
			p.Architecture = s.Value
		}
	}
	p.Format = map[string]string{"aix": "XCOFF", "plan9": "a.out"}[p.OS]
}

// watched remembers why a read failed. Who reads headers takes a fault of the disk for a file of
// another form.
type watched struct {
	r   io.ReaderAt
	err error
}

func (w *watched) ReadAt(p []byte, off int64) (int, error) {
	n, err := w.r.ReadAt(p, off)
	if err != nil && !errors.Is(err, io.EOF) {
		w.err = cmp.Or(w.err, err)
	}
	return n, err
}

// flights are the programs being read: the platforms of an image ask for the same at a time.
var flights singleflight.Group

// Program returns the facts about a program, and reads it if the store does not have them.
func Program(ctx context.Context, st *store.Store, c layer.Content) (lock.Program, error) {
	p, err, _ := flights.Do(st.Dir()+" "+c.Digest.String(), func() (any, error) {
		if p, found, err := recall(st, c.Digest); err != nil || found {
			return p, err
		}
		return read(ctx, st, c)
	})
	if err != nil {
		return lock.Program{}, fmt.Errorf("reading program %s: %w", c.Digest, err)
	}
	return p.(lock.Program), nil
}

// Known reports whether the store remembers that the bytes with a digest are a program.
func Known(st *store.Store, h v1.Hash) bool {
	_, found, err := recall(st, h)
	return found && err == nil
}

func recall(st *store.Store, h v1.Hash) (p lock.Program, found bool, err error) {
	found, err = st.Recall(kindProgram, key(h), &p)
	return p, found && p.Digest == h, err
}

func read(ctx context.Context, st *store.Store, c layer.Content) (lock.Program, error) {
	r, err := c.Open()
	if err != nil {
		return lock.Program{}, err
	}
	defer r.Close()
	h := sha512.New()
	at, ok := r.(io.ReaderAt)
	if !ok { // it is in memory
		b, err := io.ReadAll(r)
		if err != nil {
			return lock.Program{}, err
		}
		at = bytes.NewReader(b)
		h.Write(b)
	} else if err := drain(ctx, h, r); err != nil { // the reader compares the digest at its end
		return lock.Program{}, err
	}
	return record(st, at, c.Digest, c.Size, h.Sum(nil))
}

func drain(ctx context.Context, h hash.Hash, r io.Reader) error {
	_, err := io.Copy(h, progress.Reader(ctx, r, nil))
	return err
}

// SHA512 returns the SHA-512 of a blob of the store, in hex, and reads the blob once.
func SHA512(ctx context.Context, st *store.Store, digest v1.Hash) (string, error) {
	return store.Remember(st, "sha512", digest.String(), func(string) bool { return true }, func() (string, error) {
		r, err := st.Open(digest)
		if err != nil {
			return "", err
		}
		defer r.Close()
		h := sha512.New()
		err = drain(ctx, h, r)
		return hex.EncodeToString(h.Sum(nil)), err
	})
}

// readBuildInfo returns the build information of a Go program; nil if it cannot be read: of another
// language, compressed, damaged. The packages under debug are not made for hostile files, by their
// documentation, so a panic gives nil, too.
func readBuildInfo(r io.ReaderAt) (info *debug.BuildInfo) {
	defer func() {
		if recover() != nil {
			info = nil
		}
	}()
	info, err := buildinfo.Read(r)
	if err != nil || info.GoVersion == "" || len(info.Deps) > maxModules || len(info.Settings) > maxSettings {
		return nil
	}
	return info
}

func describe(p *lock.Program, info *debug.BuildInfo) {
	p.Go, p.Package, p.Main = clean(info.GoVersion), clean(info.Path), module(&info.Main)
	for _, m := range info.Deps {
		p.Modules = append(p.Modules, module(m))
	}
	for _, s := range info.Settings {
		p.Settings = append(p.Settings, lock.Setting{Key: clean(s.Key), Value: clean(s.Value)})
	}
}

func module(m *debug.Module) lock.Module {
	out := lock.Module{Path: clean(m.Path), Version: clean(m.Version), Sum: clean(m.Sum)}
	if m.Replace != nil {
		r := module(&debug.Module{Path: m.Replace.Path, Version: m.Replace.Version, Sum: m.Replace.Sum})
		out.Replace = &r
	}
	return out
}

// clean returns an untrusted text as a document can have it: on one line, in UTF-8, and bounded.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, s)
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "") + "…"
	}
	return s
}
