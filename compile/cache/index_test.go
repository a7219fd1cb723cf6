package cache

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"
)

// sample is an index of some packs, one for each argument, which are used so many days ago.
func sample(days ...int) (*index, time.Time) {
	now := time.Unix(1_800_000_000, 0)
	x := &index{actions: map[id]link{}}
	for n, d := range days {
		p := pack{
			digest: id(sum(fmt.Sprint("pack ", n))), size: 100, raw: 60,
			used: now.Add(-time.Duration(d) * 24 * time.Hour).Unix(),
		}
		actions := map[id]entry{}
		for k := range 3 {
			e := entry{output: id(sum(fmt.Sprint(n, k))), size: 20, time: time.Unix(int64(k), 7)}
			p.objects = append(p.objects, object{output: e.output, offset: int64(20 * k), size: 20})
			actions[id(sum(fmt.Sprint("action ", n, k)))] = e
			actions[id(sum(fmt.Sprint("other ", n, k)))] = e
		}
		x.add([]pack{p}, actions)
	}
	return x, now
}

func TestIndex(t *testing.T) {
	x, _ := sample(1, 2, 3)
	got, err := decode(x.encode())
	if err != nil || !reflect.DeepEqual(got, x) {
		t.Errorf("decoded: %+v, %v, want %+v", got, err, x)
	}
	text := x.encode()
	for n := range text {
		if _, err := decode(text[:n]); err == nil {
			t.Fatalf("the first %d bytes are an index", n)
		}
	}
	if _, err := decode(append(text, 0)); err == nil {
		t.Error("an index with a further byte is one")
	}
}

// TestLimit removes old objects, and then those that were not used for the longest time.
func TestLimit(t *testing.T) {
	for name, c := range map[string]struct {
		age  time.Duration
		size int64
		want []int // of the packs
	}{
		"nothing":  {100 * 24 * time.Hour, 1000, []int{0, 1, 2, 3}},
		"age":      {25 * 24 * time.Hour, 1000, []int{1, 3}},
		"size":     {100 * 24 * time.Hour, 350, []int{1, 2, 3}},
		"one byte": {100 * 24 * time.Hour, 99, nil},
	} {
		t.Run(name, func(t *testing.T) {
			x, now := sample(40, 1, 30, 20)
			x.limit(now, c.age, c.size)
			var have []int
			for _, p := range x.packs {
				for n := range 4 {
					if p.digest == id(sum(fmt.Sprint("pack ", n))) {
						have = append(have, n)
					}
				}
			}
			if !reflect.DeepEqual(have, c.want) || len(x.actions) != 6*len(c.want) {
				t.Errorf("packs %v and %d actions, want %v", have, len(x.actions), c.want)
			}
			again, err := decode(x.encode())
			if err != nil || len(again.actions) != len(x.actions) {
				t.Errorf("the rest: %v", err)
			}
		})
	}
}

// TestLimitObjects removes what makes an index larger than one that is read.
func TestLimitObjects(t *testing.T) {
	x, now := sample(1, 2)
	x.packs[1].objects = make([]object, maxObjects)
	x.limit(now, 100*24*time.Hour, 1000)
	if len(x.packs) != 1 || len(x.actions) != 6 {
		t.Errorf("%d packs, %d actions", len(x.packs), len(x.actions))
	}
}

// FuzzIndex reads what a registry may serve: whatever is read is written again as it was.
func FuzzIndex(f *testing.F) {
	x, _ := sample(1, 2)
	f.Add(x.encode())
	f.Add((&index{}).encode())
	f.Add([]byte(magic + "\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		x, err := decode(text)
		if err != nil {
			return
		}
		for a, l := range x.actions {
			if !slices.Contains(x.packs, l.pack) || l.size > l.pack.raw {
				t.Errorf("action %x is at %+v", a, l)
			}
		}
		if !bytes.Equal(x.encode(), text) {
			t.Error("it is written otherwise")
		}
		x.limit(time.Unix(0, 0), time.Hour, 1<<20)
		if _, err := decode(x.encode()); err != nil {
			t.Error(err)
		}
	})
}
