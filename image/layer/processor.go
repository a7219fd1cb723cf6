package layer

import "sync"

// Measure begins to measure processor time. stop ends it, and returns how many seconds this process
// took since; 0 if the system does not report it. Measurements at the same time share the time
// equally, since the processor does not count by goroutine.
func Measure() (stop func() float64) { return meters.start(processor) }

var meters meter

// meter divides processor time among those that are active.
type meter struct {
	mu     sync.Mutex
	last   float64 // when active changed
	active map[*float64]bool
}

func (m *meter) start(now func() float64) (stop func() float64) {
	took := new(float64)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.divide(now())
	if m.active == nil {
		m.active = map[*float64]bool{}
	}
	m.active[took] = true
	return func() float64 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.divide(now())
		delete(m.active, took)
		return *took
	}
}

// divide adds the time since the last call to all that are active.
func (m *meter) divide(now float64) {
	for took := range m.active {
		*took += (now - m.last) / float64(len(m.active))
	}
	m.last = now
}
