package times

import (
	"bytes"
	"math"
	"testing"

	"github.com/slipway-dev/slipway/internal/stagefile"
)

// FuzzWeights reads times: no weight is below zero or endless.
func FuzzWeights(f *testing.F) {
	for _, text := range []string{
		`{"weightsVersion": 1, "systems": {"linux/amd64": {"packages": {"a": 1.5}, "programs": {"b": 2}, "images": {"c": 0}, "artifacts": {"d": 86400}}}}`,
		`{"weightsVersion": 1, "systems": {"linux/amd64": null}}`, `{"weightsVersion": 1}`,
		`{"weightsVersion": 1, "systems": {"": {"packages": {"": -1e-9}}}}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w := New()
		if stagefile.Weights.Decode(bytes.NewReader(text), w) != nil || w.check() != nil {
			return
		}
		sum := New()
		sum.Add(w)
		items := []Item{
			{"linux/amd64", "a", Package},
			{"linux/amd64", "b", Program},
			{"linux/amd64", "c", Image},
			{"x", "d", Artifact},
		}
		for system, known := range w.Systems {
			for k := range kinds {
				for path := range *known.of(k) {
					items = append(items, Item{system, path, k})
				}
			}
		}
		weights, unit := sum.Of(items)
		for n, s := range weights {
			if s < 0 || math.IsNaN(s) || math.IsInf(s, 0) {
				t.Errorf("%+v weighs %g %s", items[n], s, unit)
			}
		}
	})
}
