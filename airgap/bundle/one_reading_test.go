package bundle_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// plainly reads a file as programs that import bundles do, by an ordinary decoder and archive/tar
// from the start to the end, and compares its members with what the bundle has.
func plainly(data []byte, b *bundle.Bundle) error {
	z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderMaxMemory(1<<30))
	if err != nil {
		return err
	}
	defer z.Close()
	index, docker := b.Raw()
	want := map[string][]byte{
		"manifest.json": docker, "index.json": index,
		"oci-layout": []byte(`{"imageLayoutVersion":"1.0.0"}`),
	}
	count := len(want) + len(b.Metadata()) + len(b.LayerOrder())
	seen := map[string]bool{}
	for tr := tar.NewReader(z); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		member, err := io.ReadAll(tr)
		if err != nil {
			return err
		}
		text, document := want[h.Name]
		switch {
		case seen[h.Name]:
			return fmt.Errorf("%q is there twice", h.Name)
		case h.Typeflag != tar.TypeReg:
			return fmt.Errorf("%q has type %q", h.Name, h.Typeflag)
		case document && !bytes.Equal(member, text):
			return fmt.Errorf("%s is %q, not %q", h.Name, member, text)
		case !document && h.Name != "blobs/sha256/"+bundletest.Sum(member):
			return fmt.Errorf("%q has the digest %s", h.Name, bundletest.Sum(member))
		}
		seen[h.Name] = true
	}
	if len(seen) != count {
		return fmt.Errorf("it has %d members, not %d", len(seen), count)
	}
	rest, err := io.ReadAll(z) // archive/tar stops at the end of an archive, others may not
	if err == nil && len(bytes.Trim(rest, "\x00")) > 0 {
		err = fmt.Errorf("%d bytes are behind its end", len(rest))
	}
	return err
}

// FuzzForged puts together what a forger would: frames that hold an archive of its own between
// those of a good bundle, members and keys of JSON that are there twice, and damaged headers.
func FuzzForged(f *testing.F) {
	st, l := bundletest.Demo(f, 100)
	path := bundletest.Pack(f, st, l, f.TempDir(), bundletest.Targets(f)...)[0].Path
	for _, seed := range [][]byte{
		nil,
		{0, 3, 0},
		{1, 2, 5},
		{2, 0, 0},
		{3, 1, 0},
		{4, 3, 1},
		{5, 9, 0},
		{6, 2, 0},
		{7, 0, 1},
		{0, 0, 1, 1, 9, 9, 5, 1, 1},
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		data := forged(t, bundletest.Headers(t, path), steps[:min(len(steps), 30)])
		if err := accepted(t, data); len(steps) < 3 && err != nil {
			t.Errorf("without a change: %v", err)
		}
		agreeing(t, data)
	})
}

// forged changes members of a bundle, and the frames that they are in. A step has three bytes: a
// way, a place, and how.
func forged(t *testing.T, e []bundletest.Forged, steps []byte) []byte {
	evil := bundletest.Forged{
		Header: tar.Header{Name: "index.json", Typeflag: tar.TypeReg},
		Data:   []byte(`{"schemaVersion":2,"manifests":[]}`),
	}
	var frames []frameStep
	for step := range slices.Chunk(steps, 3) {
		if len(step) < 3 {
			break
		}
		at := int(step[1]) % len(e)
		switch step[0] % 8 {
		case 0, 1:
			frames = append(frames, frameStep{at: at, how: step[2], data: archiveOf(t, evil)})
		case 2:
			evil.Name = []string{"index.json", "./index.json", "INDEX.JSON", "manifest.json", "/index.json"}[step[2]%5]
			e = slices.Insert(e, at, evil)
		case 3:
			first(e, at%3,
				[]string{`"manifests":[],`, `"Manifests":[],`, `"\u006danifests":[],`, `"RepoTags":[],`}[step[2]%4])
		case 4:
			other := int(step[2]) % len(e)
			e[at], e[other] = e[other], e[at]
		case 5:
			e[at].Uid = int(step[2])
		case 6:
			e[at].Data = append(e[at].Data, step[2])
		case 7:
			e = append(e, e[at])
		}
	}
	return reframed(t, e, frames)
}

// frameStep is a frame that a forger adds before the member number at.
type frameStep struct {
	at   int
	how  byte
	data []byte
}

// reframed compresses members as a bundle, each in a frame, and adds frames: hidden ones, that the
// table lists as empty; honest ones; and more frames in an entry.
func reframed(t *testing.T, e []bundletest.Forged, steps []frameStep) []byte {
	t.Helper()
	head := slices.IndexFunc(e, func(f bundletest.Forged) bool { return bytes.HasPrefix(f.Data, []byte("\x1f\x8b")) })
	var all []bundletest.Frame
	add := func(raw []byte) {
		all = append(all, bundletest.Frame{Compressed: bundletest.Zstd(t, raw), Decompressed: raw})
	}
	var before, raw []byte
	for n, f := range e {
		if n >= head && len(raw) > 0 {
			add(raw)
			raw = nil
		}
		raw = append(raw, archiveOf(t, f)...)
		for _, s := range steps {
			if s.at != n {
				continue
			}
			frame := bundletest.Zstd(t, s.data)
			switch s.how % 4 {
			case 0:
				all = append(all, bundletest.Frame{Compressed: frame})
			case 1:
				add(s.data)
			case 2:
				if len(all) > 0 {
					last := &all[len(all)-1]
					last.Compressed = slices.Concat(last.Compressed, frame)
				}
			case 3:
				before = append(before, frame...)
			}
		}
	}
	add(raw)
	add(make([]byte, 1024))
	return bundletest.WithTable(all, before, nil)
}

func archiveOf(t *testing.T, e bundletest.Forged) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	bundletest.Put(t, w, e)
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
