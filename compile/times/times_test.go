package times_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/compile/times"
)

// TestOf weighs a package, a program, an image and an artifact of which times are known, and
// then those of which nothing is.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		name, file, unit string
		known, unknown   [4]float64
	}{
		{
			"all kinds",
			`"packages": {"p": 2}, "programs": {"m": 6, "n": 8}, "images": {"i": 3, "j": 5}, "artifacts": {"a": 1}`,
			"seconds",
			[4]float64{2, 6, 3, 1},
			[4]float64{2, 7, 4, 1},
		},
		{
			"without artifacts", `"packages": {"p": 2}, "images": {"i": 3}`, "seconds",
			[4]float64{2, 20, 3, 3},
			[4]float64{2, 20, 3, 3},
		},
		{
			"without layers", `"packages": {"p": 2}, "programs": {"m": 6}`, "seconds",
			[4]float64{2, 6, 2, 2},
			[4]float64{2, 6, 2, 2},
		},
		{
			"programs alone", `"programs": {"m": 6}, "images": {"i": 0}`, "seconds",
			[4]float64{0.6, 6, 0, 0.6},
			[4]float64{0.6, 6, 0.6, 0.6},
		},
		{"layers alone", `"images": {"i": 3}`, "packages", [4]float64{1, 10, 1, 1}, [4]float64{1, 10, 1, 1}},
		{"nothing", ``, "packages", [4]float64{1, 10, 1, 1}, [4]float64{1, 10, 1, 1}},
	} {
		path := filepath.Join(t.TempDir(), times.FileName)
		if err := os.WriteFile(path, []byte(`{"weightsVersion": 1, "systems": {"l": {`+c.file+`}, "empty": null}}`),
			0o644); err != nil {
			t.Fatal(err)
		}
		w, err := times.Read(path, true)
		if err != nil {
			t.Fatal(err)
		}
		again := times.New() // what merge does
		again.Add(w)
		for n, want := range map[string][4]float64{"pmia": c.known, "xxxx": c.unknown} {
			var items []times.Item
			for k, name := range strings.Split(n, "") {
				items = append(items, times.Item{System: "l", Path: name, Kind: times.Kind(k)})
			}
			got, unit := again.Of(items)
			if d := gocmp.Diff(want[:], got); d != "" || unit != c.unit {
				t.Errorf("%s, %s: unit %s, weights %s", c.name, n, unit, d)
			}
		}
	}
}

// TestRead refuses times that nothing takes.
func TestRead(t *testing.T) {
	for _, text := range []string{`"packages": {"p": -1}`, `"images": {"i": 1e9}`, `"artifacts": {"a": 1e300}`} {
		path := filepath.Join(t.TempDir(), times.FileName)
		if err := os.WriteFile(path, []byte(`{"weightsVersion": 1, "systems": {"l": {`+text+`}}}`), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := times.Read(path, true); err == nil || !strings.Contains(err.Error(), " for l took ") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
