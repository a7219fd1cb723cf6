package lock_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/lock"
)

// TestPartFile writes and reads a part, and passes files of other commands to each reader.
func TestPartFile(t *testing.T) {
	linux, _ := parts()
	dir := t.TempDir()
	path := filepath.Join(dir, lock.PartName)
	if err := linux.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := lock.ReadPart(path)
	if err != nil {
		t.Fatal(err)
	}
	linux.Path = path
	if d := cmp.Diff(linux, got); d != "" {
		t.Error(d)
	}
	if _, err := lock.Read(path); err == nil ||
		!strings.HasPrefix(err.Error(), path+": this is a part of a release: join all parts with ") {
		t.Errorf("a part read as a lock: %v", err)
	}
	other := filepath.Join(dir, lock.Name)
	if err := example().Write(other); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.ReadPart(other); err == nil ||
		err.Error() != other+": this is the lock of a release: name a part of a release, a "+lock.PartName {
		t.Errorf("a lock read as a part: %v", err)
	}
	for text, want := range map[string]string{
		`{"partVersion":2}`:                         "use a newer slipway",
		`{"partVersion":1,"images":[{"name":"a"}]}`: `image "a": ":" is not its name`,
		`{"partVersion":1,"images":[{"name":"a","repository":"ghcr.io/a","tags":["1"]}]}`: `image "a": it has 0 manifests`,
		`{"partVersion":1,"thirdParty":[{"reference":"a"}]}`:                              `image "a": the digest is missing`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := lock.ReadPart(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// TestLocal makes the lock of a single part.
func TestLocal(t *testing.T) {
	linux, _ := parts()
	l, err := linux.Local()
	if err != nil {
		t.Fatal(err)
	}
	if i := l.Images[0]; i.Digest == example().Images[0].Digest || i.Digest.Hex == "" || i.Size == 0 ||
		len(i.Children) != 1 {
		t.Errorf("the index over one child is %+v", i)
	}
	if i := l.Images[1]; i.Digest != i.Children[0].Digest || i.Size != i.Children[0].Size {
		t.Errorf("the single manifest is %+v", i)
	}
}
