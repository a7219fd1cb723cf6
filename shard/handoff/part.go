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
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
)

// PushPart puts the part of a shard, and its artifacts for download, from the output directory next
// to the plan. An existing part must be the same.
func (p *Plan) PushPart(ctx context.Context, number int, dir string) error {
	part, err := lock.ReadPart(filepath.Join(dir, lock.PartName))
	if err != nil {
		return err
	}
	if err := p.isShard(part, number); err != nil {
		return fmt.Errorf("%s %w: another command has written it meanwhile: "+
			"make the shard again, in a directory of its own, with -out", part.Path, err)
	}
	names := []string{lock.PartName}
	for _, a := range part.Artifacts {
		names = append(names, a.File)
	}
	if err := p.pushDir(ctx, typePart, p.part(number), dir, names); err != nil {
		return fmt.Errorf("pushing shard %d: %w", number, err)
	}
	return nil
}

// part returns the name of a shard's part.
func (p *Plan) part(number int) name.Tag { return p.tag(".shard-" + strconv.Itoa(number)) }

func (p *Plan) tag(of string) name.Tag {
	return p.Ref.Context().Tag(tag(v1.Hash{Hex: strings.TrimPrefix(p.Ref.DigestStr(), "sha256:")}, of))
}

// pushDir puts files of a directory into the registry as an artifact.
func (p *Plan) pushDir(ctx context.Context, kind string, ref name.Tag, dir string, names []string) error {
	var files []file
	open := map[v1.Hash]string{}
	for _, as := range names {
		f, path, err := read(dir, as)
		if err != nil {
			return err
		}
		files, open[f.digest] = append(files, f), path
	}
	t, err := pack(p.store, kind, files)
	if err != nil {
		return err
	}
	return push(ctx, p.store, p.client, ref, t, open)
}

// Parts brings the parts of all shards from the registry into directories below dir, and returns
// them with these. While there are some missing it looks again every interval, until the time
// given is over, and names them then.
func (p *Plan) Parts(ctx context.Context, dir string,
	wait, interval time.Duration,
) (parts []*lock.Part, dirs []string, err error) {
	if err := p.await(ctx, wait, interval); err != nil {
		return nil, nil, err
	}
	for n := range p.Shards {
		ref := p.part(n)
		files, err := fetch(ctx, p.store, p.client, ref, typePart, "make the shard again")
		if err != nil {
			return nil, nil, err
		}
		to := filepath.Join(dir, strconv.Itoa(n))
		if err := write(p.store, to, files); err != nil {
			return nil, nil, err
		}
		part, err := lock.ReadPart(filepath.Join(to, lock.PartName))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", ref, err)
		}
		if err := p.isShard(part, n); err != nil {
			return nil, nil, fmt.Errorf("%s %w: it was written elsewhere", ref, err)
		}
		parts, dirs = append(parts, part), append(dirs, to)
	}
	return parts, dirs, nil
}

// isShard returns an error if a part is not a shard of the plan.
func (p *Plan) isShard(part *lock.Part, number int) error {
	digest, err := p.Digest()
	if s := part.Shard; err == nil && (s == nil || s.Plan != digest || s.Number != number) {
		err = fmt.Errorf("is not shard %d of this plan", number)
	}
	return err
}

// await waits until the parts of all shards are there.
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
		return fmt.Errorf("merging parts: of %d shards these are missing: %s: make each with %s",
			len(p.Shards), list, howto.Run("release -plan="+p.Ref.String()+" -shard="+missing[0]))
	}
}

// missing lists the shards whose part is not in the registry.
func (p *Plan) missing(ctx context.Context) (all []string, err error) {
	c := network.New(p.client)
	for n := range p.Shards {
		switch _, err := c.Head(ctx, p.part(n)); {
		case network.Missing(err):
			all = append(all, strconv.Itoa(n))
		case err != nil:
			return nil, fmt.Errorf("looking for shard %d: %w", n, network.Clean(err))
		}
	}
	return all, nil
}
