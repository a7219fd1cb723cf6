package deflate

// Forget drops what was compressed lately.
func Forget() { lately.forget() }

// Kept returns how many bytes are kept in memory.
func Kept() int { return lately.bytes }

func (r *recent) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all, r.order, r.bytes = map[key]*flight{}, nil, 0
}
