package assemble

import (
	"context"
	"errors"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/artifact"
	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/image/inventory"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// noted is the inventory of what has been built so far.
type noted struct {
	mu        sync.Mutex
	inventory lock.Inventory
	times     map[timed]float64 // which Windows releases share
}

// timed is a layer or an archive.
type timed struct {
	times.Item

	digest v1.Hash
}

// took records how long a layer or an archive took.
func (n *noted) took(i times.Item, h v1.Hash, seconds float64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.times == nil {
		n.times = map[timed]float64{}
	}
	n.times[timed{i, h}] = seconds
}

func (n *noted) add(content lock.Content, programs []lock.Program, bases []lock.BaseFacts) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	err := n.inventory.Add(&lock.Inventory{Contents: []lock.Content{content}, Bases: bases})
	for _, p := range programs {
		err = errors.Join(err, n.inventory.Add(&lock.Inventory{Programs: []lock.Program{p}}))
	}
	return err
}

// note records the contents of a manifest.
func (m *maker) note(i product.Image, manifest v1.Hash, c content) error {
	var bases []lock.BaseFacts
	if parent := c.base; parent.Info != nil && parent.Image != nil && !parent.Info.Stub {
		config, err := parent.Image.ConfigFile()
		if err != nil {
			return err
		}
		if facts := inventory.Base(parent.Info.Digest, config.Config.Labels); facts.Version != "" ||
			facts.Licenses != "" {
			bases = append(bases, facts)
		}
	}
	for _, l := range c.layers {
		item := times.Item{System: c.base.Platform.System().String(), Path: i.Name, Kind: times.Image}
		m.noted.took(item, l.Digest, l.Seconds)
	}
	has := lock.Content{Digest: manifest, Source: i.Source, Files: c.files.List(), Packages: c.packages}
	if i.Version != m.Product.Version {
		has.Version = i.Version
	}
	return m.noted.add(has, c.programs, bases)
}

// noteArtifact records the contents of an artifact.
func (m *maker) noteArtifact(ctx context.Context, f artifact.File) error {
	var programs []lock.Program
	for _, e := range f.Entries {
		if e.Type != layer.Regular {
			continue
		}
		if _, ok, err := system(ctx, m.Store, e.Content); err != nil {
			return err
		} else if !ok && !inventory.Known(m.Store, e.Content.Digest) {
			continue
		}
		p, err := inventory.Program(ctx, m.Store, e.Content)
		if err != nil {
			return err
		}
		if p.Format == "" {
			continue // package debug/buildinfo does not read it
		}
		programs = append(programs, p)
	}
	sum, err := inventory.SHA512(ctx, m.Store, f.Digest)
	if err != nil {
		return err
	}
	content := lock.Content{Digest: f.Digest, SHA512: sum}
	if !f.Program {
		if content.Files, err = inventory.Archive(f.Entries); err != nil {
			return err
		}
	}
	return m.noted.add(content, programs, nil)
}
