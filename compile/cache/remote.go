package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
)

const (
	// patience is after how many failures, each after its retries, the registry is not asked again.
	patience = 3
	// rest is for how long no run asks it then.
	rest = 2 * time.Minute
)

// remote is what a repository has under a tag.
type remote struct {
	cache  *Cache
	client *network.Client
	o      Options

	ctx    context.Context //nolint:containedctx // that of the run, which [remote.giveUp] ends
	giveUp context.CancelCauseFunc
	load   func() *index // the index as it was when it was first needed
	timer  budget

	damaged sync.Once // the index could not be read, which is reported once

	mu      sync.Mutex
	failed  int
	fetches map[*pack]func() bool // which bring them to the disk, once
}

// newRemote returns nil if the repository has failed a moment ago.
func newRemote(c *Cache, o Options) *remote {
	r := &remote{cache: c, o: o, client: network.New(o.Network), fetches: map[*pack]func() bool{}}
	if fi, err := os.Stat(r.pauseFile()); err == nil && within(fi.ModTime(), rest) {
		c.stats.Off = "it failed a moment ago"
		return nil
	}
	r.ctx, r.giveUp = context.WithCancelCause(context.Background())
	r.load = sync.OnceValue(func() *index {
		x, _, err := r.read(r.ctx)
		if err != nil {
			r.fail(fmt.Errorf("reading the index: %w", err), true)
			return &index{}
		}
		r.worked()
		return x
	})
	r.timer = budget{left: o.Budget, end: func() {
		r.off(fmt.Errorf("the go command has waited for it for %v", o.Budget))
	}}
	return r
}

// pauseFile is the path of the file that keeps other runs from asking the repository.
func (r *remote) pauseFile() string {
	sum := sha256.Sum256([]byte(r.o.Repository.Name()))
	return filepath.Join(r.cache.o.Dir, "off-"+hex.EncodeToString(sum[:8]))
}

// off ends the use of the registry.
func (r *remote) off(err error) {
	r.cache.mu.Lock()
	first := r.cache.stats.Off == ""
	if first {
		r.cache.stats.Off = err.Error()
	}
	r.cache.mu.Unlock()
	defer r.giveUp(err)
	if !first {
		return
	}
	disk.Write(r.pauseFile(), nil, disk.ModeFile) //nolint:errcheck // the next run finds out itself
	r.o.Warn(fmt.Errorf("the build cache %s is not used: %w", r.o.Repository.Name(), err))
}

// fail counts a failure. One is enough if it is final, or if retries do not mend it.
func (r *remote) fail(err error, final bool) {
	if r.ctx.Err() != nil {
		return
	}
	var answer *transport.Error
	final = final || errors.As(err, &answer) &&
		(answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden)
	r.mu.Lock()
	r.failed++
	final = final || r.failed >= patience
	r.mu.Unlock()
	if final {
		r.off(network.Clean(err))
	}
}

func (r *remote) worked() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = 0
}

// read reads the index that the tag names now, and returns the digest of its manifest. An
// unreadable index counts as empty: the next one replaces it.
func (r *remote) read(ctx context.Context) (*index, v1.Hash, error) {
	empty := &index{actions: map[id]link{}}
	got, err := r.client.Get(ctx, r.o.Repository.Tag(r.o.Tag))
	switch outcome.Of(err) {
	case outcome.There:
	case outcome.Absent:
		return empty, v1.Hash{}, nil
	case outcome.Broken, outcome.Unread, outcome.Unasked:
		return nil, v1.Hash{}, err
	}
	var m v1.Manifest
	if err := json.Unmarshal(got.Manifest, &m); err != nil || len(m.Layers) == 0 || m.Layers[0].MediaType != indexType {
		return nil, v1.Hash{}, fmt.Errorf("%s:%s is not a build cache: name another repository",
			r.o.Repository, r.o.Tag)
	}
	d := m.Layers[0]
	if d.Size > int64(maxIndex) {
		r.warnDamaged(fmt.Errorf("%w: it has %d bytes", errIndex, d.Size))
		return empty, got.Digest, nil
	}
	body, err := r.client.Stream(ctx, *r.o.Repository, d)
	if err != nil {
		return nil, v1.Hash{}, err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, v1.Hash{}, err
	}
	x, err := decode(text)
	if errors.Is(err, errIndex) {
		r.warnDamaged(err)
		return empty, got.Digest, nil
	}
	if err != nil {
		return nil, v1.Hash{}, err
	}
	x.notAfter(time.Now())
	return x, got.Digest, nil
}

func (r *remote) warnDamaged(err error) {
	r.damaged.Do(func() {
		r.o.Warn(fmt.Errorf("%s:%s is made anew: %w", r.o.Repository.Name(), r.o.Tag, err))
	})
}

// get returns the object of an action, after it was brought to the disk.
func (r *remote) get(ctx context.Context, action id) (entry, bool) {
	if r.ctx.Err() != nil || ctx.Err() != nil {
		return entry{}, false
	}
	r.timer.enter()
	defer r.timer.leave()
	l, ok := r.load().actions[action]
	if !ok {
		return entry{}, false
	}
	e := entry{output: l.output, size: l.size, time: time.Unix(0, l.time)}
	r.fetch(l.pack)
	if !r.cache.local.has(e) || r.cache.local.know(action, e) != nil {
		return entry{}, false
	}
	return e, true
}

// fetch brings a pack to the disk, once.
func (r *remote) fetch(p *pack) {
	r.mu.Lock()
	f, ok := r.fetches[p]
	if !ok {
		f = sync.OnceValue(func() bool { return r.brought(p) })
		r.fetches[p] = f
	}
	r.mu.Unlock()
	f()
}

// brought brings a pack to the disk, and counts a failure.
func (r *remote) brought(p *pack) bool {
	err := r.bring(p)
	switch {
	case errors.Is(err, errOther):
		r.cache.count(func(s *Stats) { s.Refused++ })
		r.o.Warn(fmt.Errorf("the build cache %s has a wrong pack, which is refused: %w", r.o.Repository.Name(), err))
	case err != nil:
		r.fail(fmt.Errorf("reading a pack: %w", err), false)
	default:
		r.worked()
	}
	return err == nil
}

func (r *remote) bring(p *pack) error {
	body, err := r.client.Stream(r.ctx, *r.o.Repository, p.describe())
	if err != nil {
		return err
	}
	defer body.Close()
	if err := unpack(r.cache.local, p, body); err != nil {
		return err
	}
	r.cache.count(func(s *Stats) {
		s.Read++
		s.Bytes += p.size
	})
	return nil
}

// budget bounds the time in which at least one request waits.
type budget struct {
	end func()

	mu      sync.Mutex
	left    time.Duration
	waiting int
	since   time.Time
	timer   *time.Timer
}

func (b *budget) enter() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting++; b.waiting == 1 {
		b.since = time.Now()
		b.timer = time.AfterFunc(b.left, b.end)
	}
}

func (b *budget) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.waiting--; b.waiting == 0 {
		b.timer.Stop()
		b.left -= time.Since(b.since)
	}
}
