package deflate

import "sync"

// most is how many compressed bytes are kept in memory: enough for a layer and an archive that have
// the same program, and are written at the same time.
const most = 16 << 20

// recent are blocks of which some stream of this process has asked for lately.
type recent struct {
	mu    sync.Mutex
	all   map[key]*flight
	order []key // the oldest first
	bytes int   // of all that are done
}

// flight is a block that one goroutine compresses, and others wait for.
type flight struct {
	done     chan struct{}
	deflated *deflated
}

var lately = recent{all: map[key]*flight{}}

// get returns a block, which compress makes unless another stream has or does.
func (r *recent) get(k key, compress func() *deflated) *deflated {
	f, first := r.flight(k)
	if !first {
		<-f.done
		return f.deflated
	}
	f.deflated = compress()
	close(f.done)
	r.keep(k, len(f.deflated.bytes))
	return f.deflated
}

func (r *recent) flight(k key) (f *flight, first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f, ok := r.all[k]
	if !ok {
		f = &flight{done: make(chan struct{})}
		r.all[k] = f
	}
	return f, !ok
}

// keep keeps a block that is done, and drops the oldest where that is too much.
func (r *recent) keep(k key, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order = append(r.order, k)
	r.bytes += n
	for r.bytes > most {
		r.bytes -= len(r.all[r.order[0]].deflated.bytes)
		delete(r.all, r.order[0])
		r.order = r.order[1:]
	}
}
