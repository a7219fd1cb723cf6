// Package once does work once for each key.
package once

import "sync"

// Map has the results of work by key. The zero value is empty. Several goroutines may use it:
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

// Succeed is Do that does not keep an error: the next call for the key does the work again.
func (m *Map[V]) Succeed(key string, do func() (V, error)) (V, error) {
	v, err := m.Do(key, do)
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.all, key)
	}
	return v, err
}
