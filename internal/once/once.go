// Package once does work once for each key.
package once

import "sync"

// Map has the results of work by key. The zero value has none yet. Several goroutines may use it:
// those that ask for work that is under way wait for its result.
type Map[V any] struct {
	mu  sync.Mutex
	all map[string]func() (V, error)
}

// Do returns the result of do for a key, from the first call for it.
func (m *Map[V]) Do(key string, do func() (V, error)) (V, error) {
	m.mu.Lock()
	if m.all == nil {
		m.all = map[string]func() (V, error){}
	}
	f, ok := m.all[key]
	if !ok {
		f = sync.OnceValues(do)
		m.all[key] = f
	}
	m.mu.Unlock()
	return f()
}

// Forget lets the next call for a key do the work again, as after an error that may pass.
func (m *Map[V]) Forget(key string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.all, key)
}
