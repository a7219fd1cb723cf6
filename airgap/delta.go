package airgap

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// Delta is what a delta says of itself. It has the whole head of the bundle that [Apply] makes of
// it, but only those layers that its base lacks. Its file is NAME.tar.zst.delta, so that no node
// takes it for a bundle.
type Delta struct {
	Base    DeltaBase `json:"base"`
	Bundle  string    `json:"bundle"`  // the file that Apply makes
	SHA256  string    `json:"sha256"`  // of that file, in hex
	Size    int64     `json:"size"`    // of that file
	Lacking []v1.Hash `json:"lacking"` // layers that the base has, in the order of the archive
	Bytes   int64     `json:"bytes"`   // of those
}

// DeltaBase names what a delta builds on: a bundle, or what a release's lock says that its bundle
// holds.
type DeltaBase struct {
	File    string `json:"file"`
	SHA256  string `json:"sha256"` // of that file, in hex
	Product string `json:"product"`
	Version string `json:"version"`
}

// DeltaSuffix is what the name of a delta has behind that of its bundle.
const DeltaSuffix = ".delta"

// PackDelta writes a delta for each bundle that one of the bases serves: a bundle for those of
// its own platform, a lock for all. Otherwise it does as [Pack]. The store must still have the
// release of a lock. Two bases that serve the same bundle are an error, before anything is
// written: both deltas would have the same name.
func PackDelta(ctx context.Context, st *store.Store, l *lock.Lock, bundles []product.Bundle, since []string, o PackOptions) ([]File, error) {
	var bases []*base
	for _, path := range since {
		b, err := readBase(path)
		if err != nil {
			return nil, err
		}
		if b.Product != l.Name {
			return nil, fmt.Errorf("%s is of %s, not of %s: a delta builds on an older release of the same product", path, b.Product, l.Name)
		}
		b.path = path
		bases = append(bases, b)
	}
	plans, err := newPlans(st, l, bundles, o.First, o.Partial)
	if err != nil {
		return nil, err
	}
	steps, err := match(st, plans, bases, o.First)
	if err != nil {
		return nil, err
	}
	enc, err := seekable.NewEncoders()
	if err != nil {
		return nil, err
	}
	p := &packer{st: st, open: fromStore(st), lock: l, dir: o.Dir, enc: enc}
	if err := disk.MkdirAll(cmp.Or(o.Dir, ".")); err != nil {
		return nil, err
	}
	var files []File
	for _, s := range steps {
		p.task = o.Progress.Start("packing "+s.plan.bundle.Name+" since "+s.base.Version, progress.Bytes, 0)
		f, err := p.delta(ctx, s.plan, s.base, s.has)
		if err != nil {
			p.task.Fail()
			return nil, err
		}
		p.task.Done("%s", progress.Size(f.Size))
		files = append(files, f)
	}
	return files, nil
}

// step is one delta that is to be written.
type step struct {
	plan *plan
	base *base
	has  map[v1.Hash]bool // layers of the base
}

// match finds the bundles that each base serves.
func match(st *store.Store, plans []*plan, bases []*base, first string) ([]step, error) {
	var steps []step
	by := map[*plan]*base{}
	for _, b := range bases {
		served := false
		for _, pl := range plans {
			has, ok, err := b.layers(st, pl.bundle, first)
			if err != nil {
				return nil, err
			}
			if !ok {
				continue
			}
			if other := by[pl]; other != nil {
				return nil, fmt.Errorf("%s and %s are both a base for %s.tar.zst%s: name one of them, put its delta elsewhere, and pack again since the other", other.path, b.path, pl.bundle.Name, DeltaSuffix)
			}
			served, by[pl] = true, b
			steps = append(steps, step{pl, b, has})
		}
		if !served {
			return nil, fmt.Errorf("%s is for %s, and this release has no such bundle: name an older bundle of one that it has, or the older release.lock.json", b.File, b.serves())
		}
	}
	return steps, nil
}

// delta writes what pl has and the base has not.
func (p *packer) delta(ctx context.Context, pl *plan, b *base, has map[v1.Hash]bool) (File, error) {
	name := pl.bundle.Name + ".tar.zst"
	full, err := p.whole(ctx, pl, name)
	if err != nil {
		return File{}, fmt.Errorf("packing %s: %w", name, err)
	}
	cut := *pl
	cut.delta = &Delta{Base: b.DeltaBase, Bundle: name, SHA256: full.SHA256, Size: full.Size, Lacking: []v1.Hash{}}
	cut.layers = slices.DeleteFunc(slices.Clone(pl.layers), func(d v1.Descriptor) bool {
		if !has[d.Digest] {
			return false
		}
		cut.delta.Lacking = append(cut.delta.Lacking, d.Digest)
		cut.delta.Bytes += d.Size
		return true
	})
	return p.file(ctx, &cut, name+DeltaSuffix)
}

// whole says what the file of a bundle is: one that is there and current, or what packing it
// would give.
func (p *packer) whole(ctx context.Context, pl *plan, name string) (File, error) {
	docker, oci, err := pl.views(p.lock)
	if err != nil {
		return File{}, err
	}
	f := File{Path: filepath.Join(p.dir, name)}
	key, err := pl.key(f.Path, docker, oci)
	if err != nil {
		return File{}, err
	}
	if p.st != nil {
		if kept, err := p.recall(ctx, key, &f); kept || err != nil {
			return f, err
		}
	}
	sum, size := sha256.New(), new(counter)
	if err := p.stream(ctx, io.MultiWriter(sum, size), pl, docker, oci); err != nil {
		return File{}, err
	}
	f.Size, f.SHA256 = int64(*size), hex.EncodeToString(sum.Sum(nil))
	return f, nil
}

// refusal is the error of what needs all layers.
func (d *Delta) refusal(path string) error {
	return fmt.Errorf("%s is a delta: %d layers (%s) are not in it but in its base, %s of version %s: make the bundle of both with %s %s -base=%s -out=%s",
		path, len(d.Lacking), progress.Size(d.Bytes), d.Base.File, d.Base.Version, howto.Run("airgap apply"), word(path), word(d.Base.File), word(d.Bundle))
}

// word writes s for a shell, in quotes where it needs them: others have chosen the names.
func word(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-+/,:=@%", r)
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// lacking is the set of layers that only the base has. Of a bundle, which is no delta, it is empty.
func (d *Delta) lacking() map[v1.Hash]bool {
	all := map[v1.Hash]bool{}
	if d != nil {
		for _, h := range d.Lacking {
			all[h] = true
		}
	}
	return all
}

// readDelta reads what a delta says of itself.
func readDelta(text string) (*Delta, error) {
	if text == "" {
		return nil, nil
	}
	d := &Delta{}
	if err := decode(annotationDelta, []byte(text), d); err != nil {
		return nil, err
	}
	if !isChecksum(d.SHA256) || d.Size <= 0 || d.Bytes < 0 || !isFile(d.Bundle) || !strings.HasSuffix(d.Bundle, ".tar.zst") {
		return nil, errors.New("not a bundle of Slipway: it does not say what it is a delta of")
	}
	if b := d.Base; !isFile(b.File) || !isChecksum(b.SHA256) || !isText(b.Product, maxWord) || !isText(b.Version, maxWord) {
		return nil, errors.New("not a bundle of Slipway: it does not say what it builds on")
	}
	return d, nil
}

// isFile reports whether s may be the name of a file on any system and an argument of a command.
func isFile(s string) bool {
	return s != "" && s != "." && s != ".." && s[0] != '-' && isText(s, maxWord) && !strings.ContainsAny(s, `/\:`)
}

func isChecksum(s string) bool {
	_, err := hex.DecodeString(s)
	return err == nil && len(s) == 2*sha256.Size
}
