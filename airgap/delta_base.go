package airgap

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// base is what is there already: a bundle's contents, or a lock.
type base struct {
	DeltaBase

	path     string
	contents *Contents
	lock     *lock.Lock
}

// readBase reads a bundle or a lock, by what the file begins with.
func readBase(path string) (*base, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("reading the base of a delta: %w", err)
	}
	defer f.Close()
	b := &base{DeltaBase: DeltaBase{File: filepath.Base(path)}}
	if recognize(f) == nil {
		if b.contents, err = Inspect(path); err != nil {
			return nil, err
		}
		if b.contents.Delta != nil {
			return nil, b.contents.Delta.refusal(path)
		}
		b.Product, b.Version = b.contents.Product, b.contents.Version
	} else {
		if b.lock, err = lock.Read(path); err != nil {
			return nil, fmt.Errorf("a delta builds on a bundle or on a release.lock.json: %w", err)
		}
		b.Product, b.Version = b.lock.Name, b.lock.Version
	}
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	b.SHA256 = hex.EncodeToString(h.Sum(nil))
	return b, nil
}

func (b *base) serves() string {
	switch {
	case b.lock != nil:
		return "other platforms"
	case b.contents.Platform.IsZero():
		return "all platforms"
	}
	return b.contents.Platform.String()
}

// layers are what the base has for a bundle; false where it is for another one.
func (b *base) layers(st *store.Store, bundle product.Bundle, first string) (map[v1.Hash]bool, bool, error) {
	has := map[v1.Hash]bool{}
	if b.contents != nil {
		if !platform.Same(bundle.Platform, b.contents.Platform) { // revisions of Windows do not count
			return nil, false, nil
		}
		for _, l := range b.contents.layers() {
			has[l.Digest] = true
		}
		return has, true, nil
	}
	plans, err := newPlans(st, b.lock, []product.Bundle{bundle}, first, true)
	if err != nil {
		return nil, false, fmt.Errorf("%s: this store has not all of that release: name its bundle instead: %w", b.File, err)
	}
	for _, p := range plans {
		for _, l := range p.layers {
			has[l.Digest] = true
		}
	}
	return has, len(plans) > 0, nil
}

// layers are all layers of a bundle and its referrers, each once.
func (c *Contents) layers() []Layer {
	var all []Layer
	seen := map[v1.Hash]bool{}
	add := func(list []Layer) {
		for _, l := range list {
			if !seen[l.Digest] {
				seen[l.Digest] = true
				all = append(all, l)
			}
		}
	}
	for _, i := range c.Images {
		for _, ch := range i.Children {
			add(ch.Layers)
		}
		for _, r := range i.Referrers {
			add(r.Layers)
		}
	}
	return all
}
