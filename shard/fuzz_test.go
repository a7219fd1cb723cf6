package shard

import (
	"bytes"
	"testing"
)

// FuzzDecode reads plans that came through a registry or a pipeline: what is read is written and
// read again as it was, and each of its shards can be named.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"planVersion": 1, "name": "a", "version": "1", "registries": ["r"], "materials": [], "unit": "seconds", "total": 3, "shards": [{"number": 0, "weight": 3, "images": [{"name": "i", "platforms": ["linux/amd64", "windows/amd64:ltsc2022"]}]}]}`,
		`{"planVersion": 1, "name": "a", "version": "1", "registries": [], "materials": [{"uri": "pkg:golang/a", "sha256": "00"}], "unit": "packages", "total": 1e300, "shards": [{"number": 0, "artifacts": [{"name": "i"}]}, {"number": 1, "images": [{"name": ""}]}]}`,
		`{"planVersion": 1, "shards": [{"number": 1}]}`, `{"planVersion": 2}`,
		`null`, `{"planVersion": 1, "shards": null} {}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := Decode(text)
		if err != nil {
			return
		}
		one, err := p.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Decode(one)
		if err != nil {
			t.Fatalf("%s is not read again: %v", one, err)
		}
		two, err := again.Encode()
		if err != nil || !bytes.Equal(one, two) {
			t.Errorf("it is written as %s, and then as %s: %v", one, two, err)
		}
		for n := range p.Shards {
			if _, err := p.Share(n); err != nil {
				t.Error(err)
			}
		}
		for _, n := range []int{-1, len(p.Shards)} {
			if _, err := p.Share(n); err == nil {
				t.Errorf("there is a shard %d", n)
			}
		}
		if err := p.WriteTable(new(bytes.Buffer)); err != nil {
			t.Error(err)
		}
	})
}
