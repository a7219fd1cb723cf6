package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
)

// Media types of the artifact: an empty configuration, the index, and then the packs, so that
// registries keep them.
const (
	artifactType                  = "application/vnd.slipway.build-cache.v1"
	indexType     types.MediaType = "application/vnd.slipway.build-cache.index.v1"
	packType      types.MediaType = "application/vnd.slipway.build-cache.pack.v1+zstd"
	renewed                       = 24 * time.Hour // how old the time of use of a pack may become
	commitRetries                 = 4
)

// close sends what the repository lacks, within the budget.
func (r *remote) close(ctx context.Context) {
	defer r.giveUp(nil)
	c := r.cache
	c.mu.Lock()
	puts := c.stats.Puts
	c.mu.Unlock()
	if r.o.ReadOnly || r.ctx.Err() != nil || ctx.Err() != nil || puts == 0 && len(r.fetches) == 0 {
		return
	}
	stop := time.AfterFunc(r.o.Budget, func() { r.off(fmt.Errorf("sending has taken %v", r.o.Budget)) })
	defer stop.Stop()
	x := r.load()
	if r.ctx.Err() != nil || x.actions == nil {
		return
	}
	packs, err := r.sendPacks(x)
	if err == nil {
		err = r.commit(packs)
	}
	if err != nil && r.ctx.Err() == nil {
		r.off(fmt.Errorf("sending: %w", network.Clean(err)))
	}
}

// sendPacks sends the objects that no pack has.
func (r *remote) sendPacks(x *index) ([]pack, error) {
	have := map[id]bool{}
	for _, p := range x.packs {
		for _, o := range p.objects {
			have[o.output] = true
		}
	}
	var packs []pack
	var list []entry
	var size int64
	flush := func() error {
		if len(list) == 0 {
			return nil
		}
		p, blob, err := makePack(r.cache.local, list)
		list, size = nil, 0
		if err != nil || len(p.objects) == 0 {
			return err
		}
		if err := r.upload(blob); err != nil {
			return err
		}
		r.cache.count(func(s *Stats) {
			s.Sent++
			s.Out += p.size
		})
		packs = append(packs, p)
		return nil
	}
	for _, e := range r.cache.fresh {
		if have[e.output] {
			continue
		}
		have[e.output] = true
		if size+e.size > packSize {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		list = append(list, e)
		size += e.size
	}
	return packs, flush()
}

func (r *remote) upload(blob []byte) error {
	s, err := r.client.Session(r.ctx, *r.o.Repository, r.o.Repository.Scope(transport.PushScope))
	if err != nil {
		return err
	}
	return s.PutBlob(r.ctx, hash(sha256.Sum256(blob)), blob)
}

// commit adds packs and actions to the index that the tag names now, and moves the tag. Where
// another run moves it at the same time, commit begins again; lost objects are compiled once
// more.
func (r *remote) commit(packs []pack) error {
	now := time.Now()
	used := map[id]bool{}
	for p, brought := range r.fetches {
		used[p.digest] = brought()
	}
	many := false
	err := r.update(func(current *index) (bool, error) {
		changed := r.change(current, packs, used, now)
		many = changed && len(current.small(r.o.MaxAge/mergeWithin)) > 0
		return changed, nil
	})
	if err == nil && many { // the packs of this run are in the registry already
		err = r.update(r.compact)
	}
	return err
}

// update changes the index that the tag names now.
func (r *remote) update(change func(*index) (bool, error)) error {
	for range commitRetries {
		current, before, err := r.read(r.ctx)
		if err != nil {
			return err
		}
		changed, err := change(current)
		if !changed || err != nil {
			return err
		}
		digest, err := r.put(current)
		if err != nil {
			return err
		}
		head, err := r.client.Head(r.ctx, r.o.Repository.Tag(r.o.Tag))
		if err != nil {
			return err
		}
		if head.Digest == digest || head.Digest == before {
			return nil
		}
	}
	return nil
}

// change adds the packs of this run to an index, and reports whether anything is new.
func (r *remote) change(x *index, packs []pack, used map[id]bool, now time.Time) bool {
	objects := 0
	now = x.clock(now)
	for n := range packs {
		packs[n].used = now.Unix()
	}
	for _, p := range x.packs {
		if used[p.digest] && now.Sub(time.Unix(p.used, 0)) > renewed {
			p.used = now.Unix()
			objects++
		}
	}
	before := len(x.actions)
	x.add(packs, r.cache.actions)
	if objects == 0 && len(x.actions) == before {
		return false
	}
	x.limit(now, r.o.MaxAge, r.o.MaxSize)
	return true
}

// put puts an index under the tag, and returns the digest of its manifest.
func (r *remote) put(x *index) (v1.Hash, error) {
	text := x.encode()
	if err := r.upload(text); err != nil {
		return v1.Hash{}, err
	}
	if err := r.upload([]byte(oci.Empty)); err != nil {
		return v1.Hash{}, err
	}
	layers := []v1.Descriptor{{MediaType: indexType, Size: int64(len(text)), Digest: hash(sha256.Sum256(text))}}
	for _, p := range x.packs {
		layers = append(layers, p.describe())
	}
	raw, err := oci.MakeArtifact(artifactType, layers, nil, nil)
	if err != nil {
		return v1.Hash{}, err
	}
	s, err := r.client.Session(r.ctx, *r.o.Repository, r.o.Repository.Scope(transport.PushScope))
	if err != nil {
		return v1.Hash{}, err
	}
	return hash(sha256.Sum256(raw)), s.Put(r.ctx, r.o.Repository.Tag(r.o.Tag), types.OCIManifestSchema1, raw)
}

func (p *pack) describe() v1.Descriptor {
	return v1.Descriptor{MediaType: packType, Size: p.size, Digest: hash(p.digest)}
}

func hash(i id) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(i[:])} }
