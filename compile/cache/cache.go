package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
)

// Options configure a cache.
type Options struct {
	Dir string // of the objects on this disk
	// Repository has the objects that machines share, under Tag; nil uses the disk only.
	Repository *name.Repository
	Tag        string
	// ReadOnly sends nothing to the registry.
	ReadOnly bool
	// Budget is how long the go command may wait for the registry in all, and how long sending
	// may take after it has ended; 0 is two minutes.
	Budget time.Duration
	// MaxAge is how long objects are kept after their last use; 0 is 30 days. MaxSize is how many
	// bytes the blobs of the tag have at most; 0 is 2 GiB. MaxLocal is the same for the disk; 0 is
	// 10 GiB.
	MaxAge            time.Duration
	MaxSize, MaxLocal int64
	Network           network.Options
	// Warn is called once with why the registry is not used; it may be nil.
	Warn func(error)
}

// Stats count what a cache did.
type Stats struct {
	Gets    int64 `json:"gets"`
	Local   int64 `json:"local"`  // answered from the disk
	Remote  int64 `json:"remote"` // answered from the registry
	Misses  int64 `json:"misses"`
	Puts    int64 `json:"puts"`
	Read    int64 `json:"packsRead"`
	Sent    int64 `json:"packsSent"`
	Bytes   int64 `json:"bytesRead"`
	Out     int64 `json:"bytesSent"`
	Refused int64 `json:"packsRefused"` // that have wrong objects
	// Off is why the registry is not used any more; "" if it is.
	Off string `json:"off,omitempty"`
}

// Cache has the objects of the go command.
type Cache struct {
	o      Options
	local  *local
	remote *remote // nil without a repository, or if it failed a moment ago

	mu    sync.Mutex
	stats Stats
	// fresh are the entries that the registry may lack, in the order of their use.
	fresh   []entry
	actions map[id]entry
}

// Open opens a cache, without a request.
func Open(o Options) (*Cache, error) {
	if o.Warn == nil {
		o.Warn = func(error) {}
	}
	o.Budget = cmp.Or(o.Budget, 2*time.Minute)
	o.MaxAge = cmp.Or(o.MaxAge, 30*24*time.Hour)
	o.MaxSize = cmp.Or(o.MaxSize, 2<<30)
	o.MaxLocal = cmp.Or(o.MaxLocal, 10<<30)
	l, err := openLocal(o.Dir)
	if err != nil {
		return nil, err
	}
	c := &Cache{o: o, local: l, actions: map[id]entry{}}
	if o.Repository != nil {
		c.remote = newRemote(c, o)
	}
	return c, nil
}

// Stats returns what the cache did so far.
func (c *Cache) Stats() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stats
}

func (c *Cache) count(f func(*Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.stats)
}

// onDisk looks for an action on the disk.
func (c *Cache) onDisk(action id) (entry, bool) {
	e, ok := c.local.get(action)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Gets++
	switch {
	case ok:
		c.stats.Local++
		c.note(action, e)
	case c.remote == nil:
		c.stats.Misses++
	}
	return e, ok
}

// inRegistry looks for an action in the registry.
func (c *Cache) inRegistry(ctx context.Context, action id) (entry, bool) {
	e, ok := c.remote.get(ctx, action)
	c.count(func(s *Stats) {
		if ok {
			s.Remote++
		} else {
			s.Misses++
		}
	})
	return e, ok
}

// note notes an entry that the registry may lack. The caller has the lock.
func (c *Cache) note(action id, e entry) {
	if c.remote == nil || c.o.ReadOnly {
		return
	}
	if _, ok := c.actions[action]; ok {
		return
	}
	c.actions[action] = e
	c.fresh = append(c.fresh, e)
}

// put keeps an object that the go command has made.
func (c *Cache) put(q *request, body io.Reader) (entry, error) {
	if len(q.ActionID) != len(id{}) || len(q.OutputID) != len(id{}) {
		return entry{}, errors.New("an action or an object is not a SHA-256")
	}
	e := entry{output: id(q.OutputID), size: q.BodySize, time: time.Now()}
	action := id(q.ActionID)
	if !c.local.has(e) {
		if err := c.local.keep(e, body); err != nil {
			return e, fmt.Errorf("keeping object %x: %w", e.output, err)
		}
	} else if _, err := io.Copy(io.Discard, body); err != nil {
		return e, err
	}
	if old, ok := c.local.get(action); !ok || old.output != e.output {
		if err := c.local.know(action, e); err != nil {
			return e, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.Puts++
	delete(c.actions, action)
	c.note(action, e)
	return e, nil
}

// Close sends what the registry lacks, and removes old objects from the disk. A registry that
// fails is not an error.
func (c *Cache) Close(ctx context.Context) error {
	if c.remote != nil {
		c.remote.close(ctx)
	}
	return c.local.trim(c.o.MaxAge, c.o.MaxLocal)
}
