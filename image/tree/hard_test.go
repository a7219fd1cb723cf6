package tree

import (
	"testing"

	"github.com/slipway-dev/slipway/image/layer"
)

// hardTree has a file with the paths /a and /b in a lower tree, and /c in an upper one.
func hardTree(t *testing.T) *Tree {
	t.Helper()
	text := layer.Bytes([]byte("x"))
	n := &Node{
		Kind: layer.Regular, Mode: 0o644, Hard: true, Capability: "cap",
		Content: func() (layer.Content, error) { return text, nil },
	}
	below := New(nil)
	for _, p := range []string{"/a", "/b"} {
		if err := below.Set(p, n); err != nil {
			t.Fatal(err)
		}
	}
	tr := New(func() (*Tree, error) { return below, nil })
	if err := tr.Set("/c", n); err != nil {
		t.Fatal(err)
	}
	return tr
}

func entries(t *testing.T, tr *Tree) []layer.Entry {
	t.Helper()
	list, err := tr.Entries(false)
	if err != nil {
		t.Fatal(err)
	}
	return list.All
}

// TestHardEntries checks that a file with several paths in one layer is written once, and that one
// whose other paths are below is copied.
func TestHardEntries(t *testing.T) {
	tr := hardTree(t)
	list := entries(t, tr)
	if len(list) != 1 || list[0].Type != layer.Regular || list[0].Capability != "cap" {
		t.Fatalf("entries %+v, want one file with its capabilities", list)
	}
	n, err := tr.Lstat("/a")
	if err != nil {
		t.Fatal(err)
	}
	if err := tr.Set("/d", n); err != nil {
		t.Fatal(err)
	}
	list = entries(t, tr)
	if len(list) != 2 || list[1].Type != layer.Hardlink || list[1].Linkname != "/c" || list[1].Content.Open != nil {
		t.Errorf("entries %+v, want a file and a link to it", list)
	}
	all, err := tr.Entries(false)
	if err == nil {
		err = tr.Fill(all)
	}
	if err != nil || all.All[0].Content.Open == nil || all.All[1].Content.Open != nil {
		t.Errorf("contents of %+v: %v", all.All, err)
	}
	c, d := tr.Nodes["/c"], tr.Nodes["/d"]
	if c != d || c == n {
		t.Error("the file is another one by each path after Fill")
	}
}

// TestChange checks that a change of a file with several paths is seen at all of them.
func TestChange(t *testing.T) {
	tr := hardTree(t)
	n, err := tr.Lstat("/a")
	if err != nil {
		t.Fatal(err)
	}
	k := *n
	k.Mode = 0o600
	if err := tr.Change("/c", &k); err != nil {
		t.Fatal(err)
	}
	list := entries(t, tr)
	if len(list) != 3 || list[0].Mode != 0o600 || list[1].Linkname != "/a" || list[2].Linkname != "/a" {
		t.Errorf("entries %+v, want all three paths as one file with mode 0600", list)
	}
}
