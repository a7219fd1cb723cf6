package lock_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

func inventory(contents, programs []int) *lock.Inventory {
	var v lock.Inventory
	for _, n := range contents {
		v.Contents = append(v.Contents, lock.Content{
			Digest: storetest.MadeUpDigest(n),
			Files:  []lock.File{{Path: "/app", Digest: storetest.MadeUpDigest(n + 100), Size: 1}},
		})
	}
	for _, n := range programs {
		v.Programs = append(v.Programs, lock.Program{Digest: storetest.MadeUpDigest(n), Go: "go1.26.8"})
	}
	return &v
}

// TestAdd joins inventories in any order.
func TestAdd(t *testing.T) {
	want := inventory([]int{1, 2, 3}, []int{101, 102})
	for _, order := range [][]*lock.Inventory{
		{inventory([]int{1, 3}, []int{101}), nil, inventory([]int{2, 3}, []int{101, 102})},
		{inventory([]int{2, 3}, []int{101, 102}), inventory([]int{1, 3}, []int{101})},
	} {
		got := &lock.Inventory{}
		for _, o := range order {
			if err := got.Add(o); err != nil {
				t.Fatal(err)
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	other := inventory(nil, []int{101})
	other.Programs[0].Go = "go1.26.7"
	if err := want.Add(other); err == nil || !strings.Contains(err.Error(), "the parts describe the contents of sha256:") {
		t.Errorf("the error is %v", err)
	}
}

func TestOnly(t *testing.T) {
	got := inventory([]int{1, 2, 3}, []int{3, 101, 102}).Only(func(h v1.Hash) bool {
		return h != storetest.MadeUpDigest(2)
	})
	if d := cmp.Diff(inventory([]int{1, 3}, []int{3, 101}), got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if _, ok := got.Content(storetest.MadeUpDigest(3)); !ok {
		t.Error("a content is not found")
	}
	if _, ok := got.Program(storetest.MadeUpDigest(102)); ok {
		t.Error("a program is found that nothing contains")
	}
}

// TestPartInventory reads a part whose inventory is not in order.
func TestPartInventory(t *testing.T) {
	path := t.TempDir() + "/" + lock.PartName
	for _, tc := range []struct {
		inventory *lock.Inventory
		want      string
	}{
		{inventory([]int{1, 2}, nil), ""},
		{inventory([]int{2, 1}, nil), "not in the order of digests"},
		{inventory([]int{1, 1}, nil), "not in the order of digests"},
		{&lock.Inventory{Programs: []lock.Program{{}}}, "cannot parse hash"},
	} {
		p := &lock.Part{PartVersion: lock.PartVersion, Inventory: tc.inventory}
		if err := p.Write(path); err != nil {
			t.Fatal(err)
		}
		_, err := lock.ReadPart(path)
		if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("the error is %v, want %q", err, tc.want)
		}
	}
}
