package bundle

import (
	"archive/tar"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"unicode"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Delta describes a delta. A delta has the complete head of the bundle that [Apply] makes of it,
// but lacks layers that its base has. Its file is NAME.tar.zst.delta, so that no node imports it.
type Delta struct {
	Base    DeltaBase `json:"base"`
	Bundle  string    `json:"bundle"`  // the file that Apply makes
	SHA256  string    `json:"sha256"`  // of that file, in hex
	Size    int64     `json:"size"`    // of that file
	Lacking []v1.Hash `json:"lacking"` // layers that the base has, in the order of the archive
	Bytes   int64     `json:"bytes"`   // of those
}

// DeltaBase names the base of a delta: a bundle, or the lock of a release.
type DeltaBase struct {
	File    string `json:"file"`
	SHA256  string `json:"sha256"` // of that file, in hex
	Product string `json:"product"`
	Version string `json:"version"`
}

// DeltaSuffix follows the name of the bundle in that of a delta.
const DeltaSuffix = distfile.DeltaSuffix

// Without returns the delta of c: c without the layers that has has. The file of c is f.
func (c *Contents) Without(has map[v1.Hash]bool, base DeltaBase, f File) (*Contents, error) {
	_, layers, err := c.order()
	if err != nil {
		return nil, err
	}
	delta := *c
	delta.Delta = &Delta{
		Base: base, Bundle: filepath.Base(f.Path), SHA256: f.SHA256, Size: f.Size,
		Lacking: []v1.Hash{},
	}
	for _, d := range layers {
		if has[d.Digest] {
			delta.Delta.Lacking = append(delta.Delta.Lacking, d.Digest)
			delta.Delta.Bytes += d.Size
		}
	}
	return &delta, nil
}

// Refusal returns the error of what needs all layers of the bundle.
func (d *Delta) Refusal(path string) error {
	in, base := fmt.Sprintf("its base, %s of version %s", d.Base.File, d.Base.Version), word(d.Base.File)
	if strings.HasSuffix(d.Base.File, ".json") { // the lock of a release names no bundle
		in, base = fmt.Sprintf("a bundle of version %s for the same platform", d.Base.Version), "BUNDLE"
	}
	return fmt.Errorf("%s is a delta: %d layers (%s) are not in it but in %s: make the bundle of both with %s %s "+
		"-base=%s -o=%s", path, len(d.Lacking), progress.Size(d.Bytes), in, howto.Run("airgap apply"), word(path),
		base, word(d.Bundle))
}

// word returns s for a shell, in quotes if it needs them: others have chosen the names.
func word(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-+/,:=@%", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// lacking is the set of layers that only the base has, which is empty for nil, the delta of a
// bundle.
func (d *Delta) lacking() map[v1.Hash]bool {
	if d == nil {
		return once{}
	}
	return setOf(d.Lacking)
}

func setOf(hashes []v1.Hash) map[v1.Hash]bool {
	all := map[v1.Hash]bool{}
	for _, h := range hashes {
		all[h] = true
	}
	return all
}

// readDelta decodes the annotation of a delta.
func readDelta(text string) (*Delta, error) {
	if text == "" {
		return nil, nil
	}
	d := &Delta{}
	if err := oci.Decode(annotationDelta, []byte(text), d, maxValues); err != nil {
		return nil, err
	}
	if !isChecksum(d.SHA256) || d.Size <= 0 || d.Bytes < 0 || !isFile(d.Bundle) ||
		!strings.HasSuffix(d.Bundle, distfile.BundleSuffix) {
		return nil, invalid("%s does not name a bundle", annotationDelta)
	}
	if b := d.Base; !isFile(b.File) || !isChecksum(b.SHA256) || !isText(b.Product, maxNameLen) ||
		!isText(b.Version, maxNameLen) {
		return nil, invalid("%s does not name a base", annotationDelta)
	}
	return d, nil
}

// isFile reports whether s can be the name of a file on any system and an argument of a command.
func isFile(s string) bool {
	return s != "" && s != "." && s != ".." && s[0] != '-' && isText(s, maxNameLen) && !strings.ContainsAny(s, `/\:`)
}

func isChecksum(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 2*sha256.Size
}

// ApplyOptions configure how a delta is applied.
type ApplyOptions struct {
	// Check, which may be nil, is called with the delta and its base before anything is written.
	Check    func(delta, base *Bundle) error
	Progress *progress.Printer // nil: quiet
}

// Apply makes the bundle of a delta and its base, byte for byte as it was packed, and writes it
// to out. Apply compares every layer with its digest, and the file with the checksum in the
// delta, before the file gets its name.
func Apply(ctx context.Context, delta, base, out string, o ApplyOptions) (*File, error) {
	dir, err := disk.Lock(ctx, filepath.Dir(out), o.Progress.Printf)
	if err != nil {
		return nil, err
	}
	defer dir.Unlock()
	d, err := OpenAny(delta)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	if d.contents.Delta == nil {
		return nil, fmt.Errorf("%s is not a delta but a complete bundle: use it as it is", delta)
	}
	b, err := Open(base)
	if err != nil {
		return nil, err
	}
	defer b.Close()
	if err := errors.Join(d.CheckSeekable(), b.CheckSeekable()); err != nil {
		return nil, err
	}
	if err := d.contents.Delta.checkBase(delta, base, b); err != nil {
		return nil, err
	}
	if o.Check != nil {
		if err := o.Check(d, b); err != nil {
			return nil, err
		}
	}
	f, err := d.apply(ctx, b, out, o.Progress)
	if errors.Is(err, tar.ErrWriteTooLong) {
		err = errors.New("a layer is larger than in its manifest")
	}
	if err != nil {
		return nil, fmt.Errorf("making %s: %w", out, err)
	}
	return f, nil
}

func (d *Bundle) apply(ctx context.Context, base *Bundle, out string, pr *progress.Printer) (*File, error) {
	want, lacking := d.contents.Delta, d.contents.Delta.lacking()
	c := *d.contents
	c.Delta = nil
	l, err := NewLayout(&c)
	if err != nil {
		return nil, err
	}
	w, err := NewWriter(func(h v1.Hash) (io.ReadCloser, error) {
		if lacking[h] {
			return base.Open(h)
		}
		return d.Open(h)
	})
	if err != nil {
		return nil, err
	}
	task := pr.Start("making "+filepath.Base(out), progress.Bytes, l.Size())
	defer task.Fail()
	f, err := w.Write(ctx, l, out, "", task, func(made *File) error {
		if made.SHA256 == want.SHA256 {
			return nil
		}
		return fmt.Errorf("all layers are right, but the file has the checksum %s, not %s: it was "+
			"packed by another version of slipway, which compresses in another way; use that of the release, in bin/",
			made.SHA256, want.SHA256)
	})
	if err == nil {
		task.Done("%s", progress.Size(f.Size))
	}
	return f, err
}

// checkBase checks that a base has all layers that the delta lacks.
func (d *Delta) checkBase(delta, path string, b *Bundle) error {
	var missing int
	for _, h := range d.Lacking {
		if !b.Has(h) {
			missing++
		}
	}
	if missing == 0 {
		return nil
	}
	c := b.contents
	return fmt.Errorf("%s is not the base of %s: it is %s %s and lacks %d of the %d layers; "+
		"the base is %s of version %s, sha256 %s",
		path, delta, c.Product, c.Version, missing, len(d.Lacking), d.Base.File, d.Base.Version, d.Base.SHA256)
}
