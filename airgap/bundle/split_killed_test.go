package bundle_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// TestSplitKilled: a split that was killed before or after any of the steps by which volumes change
// places can be run again, with the same size or another, and the directory is then as if there had
// been no kill.
func TestSplitKilled(t *testing.T) {
	extent.Plain(t)
	t.Parallel()
	st, l := bundletest.Signed(t, 20_000)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
	one, several := f.Size+80<<10, f.Size*2/3+8<<10
	made, volumes := map[int64]string{0: t.TempDir()}, map[int64]*bundle.Volumes{}
	for _, limit := range []int64{one, several} {
		v, err := bundle.Split(t.Context(), f.Path, bundle.SplitOptions{MaxSize: limit, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		made[limit], volumes[limit] = t.TempDir(), v
		if _, err := bundle.Split(t.Context(), f.Path,
			bundle.SplitOptions{MaxSize: limit, Dir: made[limit]}); err != nil {
			t.Fatal(err)
		}
	}
	for _, was := range []int64{0, several} {
		for _, killed := range []int64{one, several} {
			for n := 0; ; n += extent.Number(5, 1) {
				dir := t.TempDir()
				if err := os.CopyFS(dir, os.DirFS(made[was])); err != nil {
					t.Fatal(err)
				}
				if !splitSteps(t, dir, made[killed], volumes[killed], n) {
					break
				}
				for _, again := range []int64{one, several} {
					t.Run(fmt.Sprintf("of %d, to %d, killed after %d steps, to %d", was, killed, n, again),
						func(t *testing.T) {
							next := t.TempDir()
							if err := os.CopyFS(next, os.DirFS(dir)); err != nil {
								t.Fatal(err)
							}
							if _, err := bundle.Split(t.Context(), f.Path,
								bundle.SplitOptions{MaxSize: again, Dir: next}); err != nil {
								t.Fatal(err)
							}
							if d := cmp.Diff(tree(t, made[again]), tree(t, next)); d != "" {
								t.Errorf("files (-want +got):\n%s", d)
							}
						})
				}
			}
		}
	}
}

// splitSteps leaves in dir what a split leaves that is killed after n steps of placing its volumes,
// which are in made. It is false where there are not so many.
func splitSteps(t *testing.T, dir, made string, v *bundle.Volumes, n int) bool {
	t.Helper()
	beside, err := disk.Temp(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(beside, os.DirFS(made)); err != nil {
		t.Fatal(err)
	}
	steps, err := bundle.SplitSteps(dir, "demo-images", beside, v)
	if err != nil {
		t.Fatal(err)
	}
	if n > len(steps) {
		return false
	}
	for _, step := range steps[:n] {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	return true
}

// TestSplitOtherFiles: split does not overwrite a file that no earlier split has written.
func TestSplitOtherFiles(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 1000)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
	dir := t.TempDir()
	path := filepath.Join(dir, "demo-images.1of1.txt")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	_, err := bundle.Split(t.Context(), f.Path, bundle.SplitOptions{MaxSize: 1 << 30, Dir: dir})
	bundletest.Says(t, err, path, "already exists", "-out")
	list := filepath.Join(dir, "demo-images"+bundle.VolumesSuffix)
	text := `{"bundle": "demo-images.tar.zst", "product": "demo", "version": "1", "volumes": [{"file": "../mine", "size": 1, "sha256": "", "images": []}]}`
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = bundle.Split(t.Context(), f.Path, bundle.SplitOptions{MaxSize: 1 << 30, Dir: dir})
	bundletest.Says(t, err, list, `"../mine" is not the name of a volume`, "delete it")
	if err := os.Remove(list); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Errorf("a split that was refused left (-before +after):\n%s", d)
	}
}

// TestSplitReplaced: a bundle that another process replaces while Split waits for the directory is
// not divided: its volumes would lie beside a release that they are not of.
func TestSplitReplaced(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 1000)
	dir := t.TempDir()
	f := bundletest.Pack(t, st, l, dir, bundletest.Targets(t)[5])[0]
	held, err := disk.Lock(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	said, ended := make(signaled), make(chan error, 1)
	go func() {
		_, err := bundle.Split(t.Context(), f.Path,
			bundle.SplitOptions{MaxSize: 1 << 30, Dir: dir, Progress: progress.New(said)})
		ended <- err
	}()
	<-said // that it waits
	data, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := disk.Write(f.Path, data, disk.ModeFile); err != nil {
		t.Fatal(err)
	}
	before := tree(t, dir)
	held.Unlock()
	bundletest.Says(t, <-ended, f.Path+" was replaced by another slipway: split it again")
	if d := cmp.Diff(before, tree(t, dir)); d != "" {
		t.Errorf("a split that was refused left (-before +after):\n%s", d)
	}
}

// signaled receives what is written.
type signaled chan string

func (s signaled) Write(p []byte) (int, error) {
	s <- string(p)
	return len(p), nil
}
