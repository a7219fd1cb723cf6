package assemble_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

// TestInventory compares what examples/hello contains with a golden file. It is the same when
// everything is taken from the store, also when the store has forgotten the programs.
func TestInventory(t *testing.T) {
	p, st := load(t, copied(t, "../examples/hello")), storetest.Open(t)
	p.Images[1].Version = "9.9.1"
	cold := result(t, p, st)
	golden.Compare(t, *update, "testdata/inventory.golden",
		describeInventory(t, cold.Inventory, cold.Images[0].Children[0], cold.Images[1].Children[1], cold.Artifacts))

	warm := result(t, p, st)
	if d := cmp.Diff(cold.Inventory, warm.Inventory); d != "" {
		t.Errorf("from the store (-cold +warm):\n%s", d)
	}
	for _, kind := range []string{"program", "sha512"} {
		if err := os.RemoveAll(filepath.Join(st.Dir(), "cache", kind)); err != nil {
			t.Fatal(err)
		}
	}
	forgotten := result(t, p, st)
	if d := cmp.Diff(cold.Inventory, forgotten.Inventory); d != "" {
		t.Errorf("without records (-cold +forgotten):\n%s", d)
	}
	for _, i := range cold.Images {
		for _, c := range i.Children {
			if _, ok := cold.Inventory.Content(c.Digest); !ok {
				t.Errorf("%s for %s has no content", i.Name, c.Platform)
			}
		}
	}
}

// TestInventoryOfDamaged puts other bytes in the place of compiled programs, and keeps their
// sizes and times: the inventory has each program all the same, in images and in archives.
func TestInventoryOfDamaged(t *testing.T) {
	p, st := load(t, copied(t, "../examples/hello")), storetest.Open(t)
	want := result(t, p, st).Inventory
	programs, err := filepath.Glob(filepath.Join(st.Dir(), "work", "go", "*", "*", "*"))
	if err != nil || len(programs) < 4 {
		t.Fatalf("the work directory has %v, %v", programs, err)
	}
	for _, path := range programs {
		fi, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Repeat([]byte{0xa5}, int(fi.Size())), fi.Mode()); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, fi.ModTime(), fi.ModTime()); err != nil {
			t.Fatal(err)
		}
		var got *built.Result
		if err := st.Mend(t.Context(), nil, func() (err error) {
			got, err = assemble.Build(t.Context(), p, assemble.Options{Store: st})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, got.Inventory); d != "" {
			t.Errorf("%s (-want +got):\n%s", path, d)
		}
	}
}

func describeInventory(t *testing.T, v *lock.Inventory, linux, windows lock.Child, artifacts []lock.Artifact) string {
	t.Helper()
	var s strings.Builder
	list := func(name string, h v1.Hash) {
		c, ok := v.Content(h)
		fmt.Fprintf(&s, "%s %v", name, ok)
		if c.Source != "" {
			fmt.Fprintf(&s, " of source %s", c.Source)
		}
		fmt.Fprintln(&s, strings.TrimRight(" "+c.Version, " "))
		for _, f := range c.Files {
			fmt.Fprintf(&s, "  %s", f.Path)
			if f.Builtin {
				fmt.Fprint(&s, " builtin")
			}
			if f.Executable {
				fmt.Fprint(&s, " executable")
			}
			if p, ok := v.Program(f.Digest); ok {
				fmt.Fprintf(&s, " %s %s/%s %s of %s, source %s", p.Format, p.OS, p.Architecture, p.Package, p.Main.Path,
					p.Source)
				for _, key := range []string{"CGO_ENABLED", "GOOS", "-trimpath"} {
					n := slices.IndexFunc(p.Settings, func(s lock.Setting) bool { return s.Key == key })
					if n >= 0 {
						fmt.Fprintf(&s, " %s=%s", key, p.Settings[n].Value)
					}
				}
			}
			fmt.Fprintln(&s)
		}
	}
	list(linux.Platform.String(), linux.Digest)
	list(windows.Platform.String(), windows.Digest)
	for _, a := range artifacts {
		list(a.File, a.Digest)
	}
	return s.String()
}
