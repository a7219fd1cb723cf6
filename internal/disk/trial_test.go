package disk

import (
	"os"
	"path/filepath"
	"testing"
)

func TestUsable(t *testing.T) {
	dir := t.TempDir()
	usable := func(path string, wantBusy, wantErr bool) {
		t.Helper()
		busy, free, err := Usable(t.Context(), path)
		if busy != wantBusy || (err != nil) != wantErr || err == nil && free == 0 {
			t.Errorf("%s: busy %t, %d bytes free, %v", path, busy, free, err)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 1 || left[0].Name() != "file" {
			t.Errorf("%s: left are %v, %v", path, left, err)
		}
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	usable(dir, false, false)
	usable(filepath.Join(dir, "a", "b"), false, false)
	usable(file, false, true)
	usable(filepath.Join(file, "a"), false, true)
	d, err := Lock(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Unlock()
	usable(dir, true, false)
}
