package handoff

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// PushPart puts the part of a shard, and its artifacts for download, from the output directory next
// to the plan, and returns its reference. An existing part must be the same.
func (p *Plan) PushPart(ctx context.Context, number int, dir string) (name.Digest, error) {
	part, err := lock.ReadPart(filepath.Join(dir, lock.PartName))
	if err != nil {
		return name.Digest{}, err
	}
	if err := p.isShard(part, number); err != nil {
		return name.Digest{}, fmt.Errorf("%s %w: another command has written it meanwhile: "+
			"make the shard again, in a directory of its own, with -out", part.Path, err)
	}
	names := []string{lock.PartName}
	for _, a := range part.Artifacts {
		names = append(names, a.File)
	}
	h, err := p.pushDir(ctx, typePart, p.part(number), dir, names)
	if err != nil {
		return name.Digest{}, fmt.Errorf("pushing shard %d: %w", number, err)
	}
	return p.Ref.Context().Digest(h.String()), nil
}

// part returns the name of a shard's part.
func (p *Plan) part(number int) name.Tag { return p.tag(".shard-" + strconv.Itoa(number)) }

func (p *Plan) tag(of string) name.Tag {
	return p.Ref.Context().Tag(tag(v1.Hash{Hex: strings.TrimPrefix(p.Ref.DigestStr(), "sha256:")}, of))
}

// pushDir puts files of a directory into the registry as an artifact, and returns its digest.
func (p *Plan) pushDir(ctx context.Context, kind string, ref name.Tag, dir string, names []string) (v1.Hash, error) {
	var files []file
	open := map[v1.Hash]string{}
	for _, as := range names {
		f, path, err := read(dir, as)
		if err != nil {
			return v1.Hash{}, err
		}
		files, open[f.digest] = append(files, f), path
	}
	t, err := pack(p.store, kind, files)
	if err != nil {
		return v1.Hash{}, err
	}
	return t.Desc.Digest, push(ctx, p.store, p.client, ref, t, open)
}

// Parts brings the parts of all shards from the registry into directories below dir, and returns
// them with these. While there are some missing it looks again every interval, until the time
// given is over, and names them then. The registry has the parts under tags: whoever may push to
// it may have made them, so nothing that is made of them may be signed. See [Plan.GivenParts].
func (p *Plan) Parts(ctx context.Context, dir string,
	wait, interval time.Duration,
) (parts []*lock.Part, dirs []string, err error) {
	if err := p.await(ctx, wait, interval); err != nil {
		return nil, nil, err
	}
	for n := range p.Shards {
		to := filepath.Join(dir, strconv.Itoa(n))
		part, err := p.fetchPart(ctx, p.part(n), to)
		if err != nil {
			return nil, nil, err
		}
		if err := p.isShard(part, n); err != nil {
			return nil, nil, fmt.Errorf("%s %w: it was written elsewhere", p.part(n), err)
		}
		parts, dirs = append(parts, part), append(dirs, to)
	}
	return parts, dirs, nil
}

// GivenParts is Parts of references by digest, which the shards printed: no one else can have made
// these parts. The references are in any order, and one may be repeated.
func (p *Plan) GivenParts(ctx context.Context, dir string,
	refs []string,
) (parts []*lock.Part, dirs []string, err error) {
	made := map[int]name.Digest{}
	for _, text := range refs {
		ref, err := name.NewDigest(text)
		if err != nil || ref.Context() != p.Ref.Context() {
			return nil, nil, fmt.Errorf("%.200q is not a part in %s: name what the shards of the plan printed",
				text, p.Ref.Context())
		}
		to := filepath.Join(dir, strings.TrimPrefix(ref.DigestStr(), "sha256:"))
		part, err := p.fetchPart(ctx, ref, to)
		if err != nil {
			return nil, nil, err
		}
		if part.Shard == nil {
			return nil, nil, fmt.Errorf("%s is not of a shard: name what the shards of the plan printed", ref)
		}
		number := part.Shard.Number
		if err := p.isShard(part, number); err != nil {
			return nil, nil, fmt.Errorf("%s %w: name what its shards printed", ref, err)
		}
		switch have, twice := made[number]; {
		case twice && have == ref:
			continue
		case twice:
			return nil, nil, fmt.Errorf("%s and %s are both shard %d: two machines made the same differently: "+
				"find out which is wrong (slipway reproduce), or plan again", have, ref, number)
		}
		made[number] = ref
		parts, dirs = append(parts, part), append(dirs, to)
	}
	var missing []string
	for n := range p.Shards {
		if _, ok := made[n]; !ok {
			missing = append(missing, strconv.Itoa(n))
		}
	}
	if len(missing) > 0 {
		return nil, nil, p.lacks(missing)
	}
	return parts, dirs, nil
}

// fetchPart brings a part into a directory.
func (p *Plan) fetchPart(ctx context.Context, ref name.Reference, to string) (*lock.Part, error) {
	files, err := fetch(ctx, p.store, p.client, ref, typePart, "make the shard again")
	if err != nil {
		return nil, err
	}
	if err := write(p.store, to, files); err != nil {
		return nil, err
	}
	part, err := lock.ReadPart(filepath.Join(to, lock.PartName))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ref, err)
	}
	return part, nil
}

// lacks is the error for shards without a part.
func (p *Plan) lacks(missing []string) error {
	return fmt.Errorf("merging parts: of %d shards these are missing: %s: make each with %s",
		len(p.Shards), strings.Join(missing, ", "), howto.Run("release -plan="+p.Ref.String()+" -shard="+missing[0]))
}

// isShard returns an error if a part is not a shard of the plan.
func (p *Plan) isShard(part *lock.Part, number int) error {
	digest, err := p.Digest()
	s := part.Shard
	if err == nil && (s == nil || s.Plan != digest || s.Number != number || number < 0 || number >= len(p.Shards)) {
		err = fmt.Errorf("is not shard %d of this plan", number)
	}
	return err
}

// await waits until the registry has the parts of all shards.
func (p *Plan) await(ctx context.Context, wait, interval time.Duration) error {
	limit, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	told := ""
	for {
		missing, err := p.missing(ctx)
		if err != nil || len(missing) == 0 {
			return err
		}
		list := strings.Join(missing, ", ")
		if told != list && wait > 0 {
			told = list
			p.client.Progress.Printf("waiting for shards %s of %d", list, len(p.Shards))
		}
		select {
		case <-tick.C:
			if limit.Err() == nil {
				continue
			}
		case <-limit.Done():
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return p.lacks(missing)
	}
}

// missing lists the shards whose part is not in the registry.
func (p *Plan) missing(ctx context.Context) (all []string, err error) {
	c := transfer.New(p.client)
	for n := range p.Shards {
		have, err := c.Lookup(ctx, p.part(n))
		if err != nil {
			return nil, fmt.Errorf("looking for shard %d: %w", n, err)
		}
		if have == nil {
			all = append(all, strconv.Itoa(n))
		}
	}
	return all, nil
}
