package shard_test

import (
	"cmp"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/shard"
)

// TestDivide divides units of lines "name systems sources programs packages": each program and each
// package has the weight behind its colon. A name may have the weight of its layers behind a colon,
// too.
func TestDivide(t *testing.T) {
	const two = `
		a l kpack a:2 std:10,k8s:60,a:1
		b l kpack b:2 std:10,k8s:60,b:1
		c w kpack c:2 wstd:10,wk8s:50,c:1
		life l+w life d:1,e:1 std:10,wstd:10,d:20`
	for _, c := range []struct {
		name, units string
		n           int
		want        string
	}{
		{"one", two, 1, "a b c life"},
		{"systems", two, 2, "c life | a b"},
		{"one for each system", two, 3, "a b | c | life"},
		{"more would compile k8s twice", two, 5, "a b | c | life"},
		{"sources", `
			a l one a:1 std:5,a:50
			b l two b:1 std:5,b:50
			c l two c:1 std:5,b:50,c:1`, 3, "b c | a"},
		{"programs that share little", `
			a l one a:1 std:5,a:50
			b l one b:1 std:5,b:50
			c l one c:1 std:5,c:50`, 3, "a | b | c"},
		{"an artifact of the same program", `
			a l one a:1 std:5,a:50
			b l one b:1 std:5,b:50
			file l one a:1 std:5,a:50`, 2, "a file | b"},
		{"programs are linked twice where nothing else helps", `
			a l one a:50 std:1
			b l one b:50 std:1
			both l one a:50,b:50 std:1`, 2, "a b both"},
		{"nothing to compile", "a l\nb w\nc l", 5, "a | b | c"},
		{"layers are compressed on each shard", `
			a:50 l one a:1 std:5,k8s:20
			b:50 l one b:1 std:5,k8s:20
			c:20 l one c:1 std:5,k8s:20`, 2, "a c | b"},
		{"layers are little beside packages", `
			a:5 l one a:1 std:5,k8s:100
			b:5 l one b:1 std:5,k8s:100
			c:2 l one c:1 std:5,k8s:100`, 2, "a b c"},
		{"only layers", "a:5 l\nb:3 l\nc:2 l", 2, "a | b c"},
		{"exchanges", `
			a l one a:6 std:0
			b l one b:5 std:0
			c l one c:4 std:0
			d l one d:3 std:0
			e l one e:3 std:0
			f l one f:3 std:0`, 2, "a d e | b c f"},
	} {
		units, weights := parse(t, c.units)
		var got []string
		for _, of := range shard.Divide(units, weights, c.n) {
			var names []string
			for _, u := range of {
				names = append(names, units[u].Name)
			}
			got = append(got, strings.Join(names, " "))
		}
		if d := gocmp.Diff(c.want, strings.Join(got, " | ")); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
	}
}

func parse(t *testing.T, text string) (units []shard.Unit, weights []float64) {
	t.Helper()
	index := map[string]int{}
	for line := range strings.Lines(strings.TrimSpace(text)) {
		f := append(strings.Fields(line), "", "", "", "")
		name, layers, _ := strings.Cut(f[0], ":")
		u := shard.Unit{
			Portion: product.Portion{Name: name}, Systems: strings.Split(f[1], "+"),
			Items: []int{len(weights)},
		}
		weights = append(weights, weight(t, cmp.Or(layers, "0.01")))
		if f[2] != "" {
			u.Sources = []string{f[2]}
		}
		for n, list := range f[3:5] {
			for s := range strings.SplitSeq(list, ",") {
				name, w, ok := strings.Cut(s, ":")
				if !ok {
					continue
				}
				if n == 0 {
					u.Programs, name = append(u.Programs, name), "link "+name
				}
				if _, ok := index[name]; !ok {
					index[name] = len(weights)
					weights = append(weights, weight(t, w))
				}
				u.Items = append(u.Items, index[name])
			}
		}
		units = append(units, u)
	}
	return units, weights
}

func weight(t *testing.T, text string) float64 {
	t.Helper()
	w, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return w
}
