package cache

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// again is a further run on a machine.
func again(t *testing.T, c *Cache) *Cache {
	t.Helper()
	next, err := Open(c.o)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// TestCompact merges the small packs of many builds into one, on a machine that has the objects and
// on one that has none. A machine with nothing finds what each of them made, and so does one that
// has read an index of before.
func TestCompact(t *testing.T) {
	s := registrytest.Serve(t)
	one, other, early := machine(t, s), machine(t, s), machine(t, s)
	var actions []string
	for n := range 2*manySmall + 3 {
		if actions = append(actions, fmt.Sprint("action ", n)); n == manySmall {
			early.remote.load()
			one, other = other, one
		}
		if compiled := build(t, again(t, one), actions[n]); compiled != 1 {
			t.Fatalf("%d compiled", compiled)
		}
	}
	if compiled := build(t, early, actions[:manySmall]...); compiled != 0 {
		t.Errorf("by an index of before: %d compiled", compiled)
	}
	if st := early.Stats(); st.Read != manySmall {
		t.Errorf("by an index of before: %+v", st)
	}
	last := machine(t, s)
	if x := last.remote.load(); len(x.packs) > manySmall || len(x.actions) != len(actions) {
		t.Errorf("%d builds left %d packs with %d actions", len(actions), len(x.packs), len(x.actions))
	}
	if compiled := build(t, last, actions...); compiled != 0 {
		t.Errorf("%d compiled", compiled)
	}
}

// TestCompactRefused merges packs that all are wrong: nothing is left of them, and the index can be
// read.
func TestCompactRefused(t *testing.T) {
	s := registrytest.Serve(t)
	var actions []string
	for n := range manySmall + 2 {
		actions = append(actions, fmt.Sprint("action ", n))
	}
	poison(t, s, time.Now().Add(-10*24*time.Hour), actions...)
	// they are not merged with new ones
	if n := build(t, machine(t, s, func(o *Options) { o.MaxAge = 15 * 24 * time.Hour }), "a"); n != 1 {
		t.Errorf("%d compiled", n)
	}
	last := machine(t, s)
	if x := last.remote.load(); len(x.packs) != 1 {
		t.Errorf("%d packs are left, %+v", len(x.packs), last.Stats())
	}
	if n := build(t, last, "a"); n != 0 {
		t.Errorf("%d compiled", n)
	}
}

// TestCompactTogether lets many runs write, and merge, at the same time. What one of them loses is
// compiled again, and nothing else happens.
func TestCompactTogether(t *testing.T) {
	s := registrytest.Serve(t)
	machines := []*Cache{machine(t, s), machine(t, s)}
	var all []string
	for n := range 2 * manySmall {
		all = append(all, fmt.Sprint("action ", n))
	}
	var wg sync.WaitGroup
	for n, action := range all {
		c := again(t, machines[n%len(machines)])
		wg.Go(func() { build(t, c, action) })
	}
	wg.Wait()
	second := machine(t, s)
	build(t, second, all...) // compares what it gets
	if st := second.Stats(); st.Off != "" || st.Refused > 0 || st.Remote == 0 {
		t.Errorf("%+v", st)
	}
	third := machine(t, s)
	if compiled := build(t, third, all...); compiled != 0 {
		t.Errorf("%d compiled once all are there", compiled)
	}
}

// TestSmall groups packs by size and last use.
func TestSmall(t *testing.T) {
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		change func(n int, p *pack)
		want   int // groups, of this many packs
		packs  int
	}{
		"same day":     {func(int, *pack) {}, 1, manySmall + 4},
		"two ages":     {func(n int, p *pack) { p.used -= int64(n%2) * int64(10*day/time.Second) }, 2, manySmall + 4},
		"all ages":     {func(n int, p *pack) { p.used -= int64(n) * int64(4*day/time.Second) }, 0, 0},
		"few small":    {func(n int, p *pack) { p.size *= int64(1 + n%2*smallPack) }, 0, 0},
		"one is large": {func(n int, p *pack) { p.size *= int64(1 + n/(manySmall+3)*smallPack) }, 1, manySmall + 3},
		"full packs":   {func(n int, p *pack) { p.raw = packSize / 4 }, 7, manySmall + 4},
	} {
		t.Run(name, func(t *testing.T) {
			x, _ := sample(make([]int, manySmall+4)...)
			for n := range x.packs {
				c.change(n, x.packs[n])
			}
			packs := 0
			groups := x.small(3 * day)
			for _, g := range groups {
				packs += len(g)
			}
			if len(groups) != c.want || packs != c.packs {
				t.Errorf("%v", groups)
			}
		})
	}
	x, _ := sample(make([]int, manySmall)...)
	if g := x.small(day); g != nil {
		t.Errorf("few packs are merged: %v", g)
	}
}

// TestReplace keeps all actions but those whose objects are lost, and the newest time of use.
func TestReplace(t *testing.T) {
	x, now := sample(1, 9, 2, 3)
	by := &pack{digest: id(sum("merged")), size: 10, raw: 120}
	for _, n := range []int{1, 3} {
		for _, o := range x.packs[n].objects {
			if o.output != x.packs[3].objects[2].output { // is lost
				by.objects = append(by.objects, object{output: o.output, offset: int64(20 * len(by.objects)), size: 20})
			}
		}
	}
	want := len(x.actions) - 2
	x.replace([]*pack{x.packs[1], x.packs[3]}, by)
	if len(x.actions) != want || len(x.packs) != 3 || x.packs[2].digest != by.digest ||
		x.packs[2].used != now.Add(-3*24*time.Hour).Unix() {
		t.Errorf("%d actions, packs %+v", len(x.actions), x.packs)
	}
	again, err := decode(x.encode())
	if err != nil || !reflect.DeepEqual(again, x) {
		t.Errorf("it is written as %+v, %v, not %+v", again, err, x)
	}
}
