package layer

import "testing"

// TestMeter divides processor time among layers that are written at the same time.
func TestMeter(t *testing.T) {
	var m meter
	now := 5.0
	clock := func() float64 { return now }
	first := m.start(clock)
	now += 2
	second := m.start(clock)
	now += 4
	if took := first(); took != 4 {
		t.Errorf("the first took %g, want 2 and half of 4", took)
	}
	now++
	if took := second(); took != 3 {
		t.Errorf("the second took %g, want half of 4 and 1", took)
	}
	now += 10
	if took := m.start(clock)(); took != 0 {
		t.Errorf("one that took nothing took %g", took)
	}
}
