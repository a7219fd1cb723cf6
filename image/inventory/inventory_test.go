package inventory_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/image/inventory"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/lock"
)

func file(path, text string) layer.Entry {
	return layer.Entry{Path: path, Content: layer.Bytes([]byte(text))}
}

func listed(path, text string) lock.File {
	c := layer.Bytes([]byte(text))
	return lock.File{Path: path, Digest: c.Digest, Size: c.Size}
}

// TestFiles puts layers on top of one another.
func TestFiles(t *testing.T) {
	for _, tc := range []struct {
		name, os string
		layers   [][]layer.Entry
		want     []lock.File
	}{
		{
			"replaced", "linux",
			[][]layer.Entry{{file("/b", "1"), file("/a", "2")}, {file("/b", "3"), file("/B", "4")}},
			[]lock.File{listed("/B", "4"), listed("/a", "2"), listed("/b", "3")},
		},
		{
			"replaced on Windows", "windows",
			[][]layer.Entry{{file("/b", "1"), file("/a", "2")}, {file("/B", "4")}},
			[]lock.File{listed("/B", "4"), listed("/a", "2")},
		},
		{"removed", "linux", [][]layer.Entry{
			{file("/d/e", "1"), file("/de", "2"), file("/f", "3")},
			{{Path: "/d", Type: layer.Whiteout}, {Path: "/f", Type: layer.Whiteout}},
		}, []lock.File{listed("/de", "2")}},
		{
			"a link in place of a directory", "linux",
			[][]layer.Entry{{file("/d/e", "1")}, {{Path: "/d", Type: layer.Symlink, Linkname: "/x"}}},
			nil,
		},
		{
			"removed and made again",
			"linux",
			[][]layer.Entry{
				{file("/d/e/f", "1"), file("/d/g", "2")},
				{{Path: "/d", Type: layer.Whiteout}},
				{file("/d/e/h", "3")},
				{{Path: "/d/e", Type: layer.Whiteout}, file("/d/i", "4")},
			},
			[]lock.File{listed("/d/i", "4")},
		},
		{
			"a directory again", "linux",
			[][]layer.Entry{{file("/d/e", "1")}, {{Path: "/d", Type: layer.Dir}}},
			[]lock.File{listed("/d/e", "1")},
		},
		{
			"a hard link before its file", "windows",
			[][]layer.Entry{{{Path: "/a.exe", Type: layer.Hardlink, Linkname: "/b.exe"}, file("/b.exe", "1")}},
			[]lock.File{listed("/a.exe", "1"), listed("/b.exe", "1")},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var f inventory.Files
			for _, l := range tc.layers {
				if err := f.Add(l, tc.os); err != nil {
					t.Fatal(err)
				}
			}
			if d := cmp.Diff(tc.want, f.List()); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
	var f inventory.Files
	if err := f.Add([]layer.Entry{{Path: "/a", Content: layer.Content{Size: 1}}}, "linux"); err == nil {
		t.Error("a file without a digest is listed")
	}
}

// TestManyFiles lists 300,000 files and removes them with their directories, one by one. Where
// each entry looks at all files, that takes an hour.
func TestManyFiles(t *testing.T) {
	const dirs = 150_000
	var made, gone []layer.Entry
	content := layer.Bytes(nil)
	for i := range dirs {
		dir := fmt.Sprintf("/d/%d", i)
		made = append(made, layer.Entry{Path: dir + "/a", Content: content},
			layer.Entry{Path: dir + "/b", Content: content})
		gone = append(gone, layer.Entry{Path: dir, Type: layer.Whiteout})
	}
	var f inventory.Files
	for n, l := range [][]layer.Entry{made, gone} {
		if err := f.Add(l, "linux"); err != nil {
			t.Fatal(err)
		}
		if want := 2 * dirs * (1 - n); len(f.List()) != want {
			t.Errorf("%d files, want %d", len(f.List()), want)
		}
	}
}

// TestBase reads the labels of a base, which others wrote.
func TestBase(t *testing.T) {
	digest := layer.Bytes(nil).Digest
	got := inventory.Base(digest, map[string]string{
		"org.opencontainers.image.version":  "3.22\n",
		"org.opencontainers.image.licenses": "MIT", "maintainer": "me",
	})
	if want := (lock.BaseFacts{Digest: digest, Version: "3.22\ufffd", Licenses: "MIT"}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
