// Package times has how long compilers, linkers and compressing took: what build notes, what shards
// are weighed by.
package times

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/stagefile"
)

// FileName is the file's name in the store, and next to the part of a shard. dist/ does not have
// the file, and so the same bytes whatever the times were.
const FileName = distfile.Weights

// The units of weights.
const (
	Seconds  = "seconds"
	Packages = "packages"
)

// Weights states how long compilers, linkers and compressing took, in seconds of a processor.
type Weights struct {
	WeightsVersion int `json:"weightsVersion"` // of the file's format
	// by operating system and architecture, such as linux/amd64
	Systems map[string]*System `json:"systems"`
}

// System has the times of a system. Packages and programs have their import paths.
type System struct {
	Packages  map[string]float64 `json:"packages,omitempty"`  // to compile
	Programs  map[string]float64 `json:"programs,omitempty"`  // to link
	Images    map[string]float64 `json:"images,omitempty"`    // to compress the layers of, for all releases of Windows
	Artifacts map[string]float64 `json:"artifacts,omitempty"` // to compress
}

// Item is what takes time for a system.
type Item struct {
	System, Path string // an import path, or the name of an image or artifact
	Kind         Kind
}

// Kind is what an item is.
type Kind int

// The kinds of items.
const (
	Package  Kind = iota // to compile
	Program              // to link
	Image                // to compress
	Artifact             // to compress
	kinds
)

// of returns the times of a kind.
func (t *System) of(k Kind) *map[string]float64 {
	return [kinds]*map[string]float64{&t.Packages, &t.Programs, &t.Images, &t.Artifacts}[k]
}

// New returns weights without any times.
func New() *Weights {
	return &Weights{WeightsVersion: stagefile.Weights.Version, Systems: map[string]*System{}}
}

// Read reads weights from a file. One that is missing has no times, unless it is required.
func Read(path string, required bool) (*Weights, error) {
	w := New()
	switch err := stagefile.Weights.Read(path, w); {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return New(), nil
	case err != nil:
		return nil, err
	}
	if err := w.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, stagefile.Weights.Invalid(err))
	}
	return w, nil
}

// check checks times that come from a file.
func (w *Weights) check() error {
	for system, t := range w.Systems {
		if t == nil {
			delete(w.Systems, system)
			continue
		}
		for k := range kinds {
			for name, s := range *t.of(k) {
				if s < 0 || math.IsNaN(s) || s > maxSeconds {
					return fmt.Errorf("%q for %s took %g seconds", name, system, s)
				}
			}
		}
	}
	return nil
}

// maxSeconds is a day, longer than any package takes.
const maxSeconds = 86400

// Write writes the weights to a file.
func (w *Weights) Write(path string) error { return stagefile.Weights.Write(path, w) }

// Empty reports whether nothing is known.
func (w *Weights) Empty() bool { return len(w.Systems) == 0 }

// Took notes the time that an item took. 0 means unknown.
func (w *Weights) Took(i Item, seconds float64) {
	if seconds == 0 {
		return
	}
	if w.Systems[i.System] == nil {
		w.Systems[i.System] = &System{}
	}
	all := w.Systems[i.System].of(i.Kind)
	if *all == nil {
		*all = map[string]float64{}
	}
	(*all)[i.Path] = Round(seconds)
}

// Add adds times, in place of those that are there.
func (w *Weights) Add(o *Weights) {
	for system, t := range o.Systems {
		for k := range kinds {
			for path, s := range *t.of(k) {
				w.Took(Item{system, path, k}, max(s, least))
			}
		}
	}
}

// least is what a time is that was rounded to nothing.
const least = 1e-9

// linking is how many packages a program takes as long to link as to compile.
const linking = 10

// Of returns the weights of items. What nothing is known of weighs as much as the others of its
// kind on average.
func (w *Weights) Of(items []Item) (weights []float64, unit string) {
	var mean [kinds]float64
	for k := range kinds {
		mean[k] = w.mean(k)
	}
	if mean[Package]+mean[Program] == 0 { // then compressing alone means nothing
		for _, i := range items {
			weights = append(weights, [kinds]float64{1, linking, 1, 1}[i.Kind])
		}
		return weights, Packages
	}
	if mean[Package] == 0 { // the build cache had them all
		mean[Package] = mean[Program] / linking
	}
	mean[Program] = cmp.Or(mean[Program], mean[Package]*linking)
	mean[Image] = cmp.Or(mean[Image], mean[Package])
	mean[Artifact] = cmp.Or(mean[Artifact], mean[Image])
	for _, i := range items {
		s := mean[i.Kind]
		if t := w.Systems[i.System]; t != nil {
			if known, ok := (*t.of(i.Kind))[i.Path]; ok {
				s = known
			}
		}
		weights = append(weights, s)
	}
	return weights, Seconds
}

// mean returns the average of all times of a kind; 0 if there are none.
func (w *Weights) mean(k Kind) float64 {
	sum, n := 0.0, 0
	for _, t := range w.Systems {
		for _, s := range *t.of(k) {
			sum += s
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return Round(sum / float64(n))
}

// Round rounds seconds to hundredths.
func Round(seconds float64) float64 { return math.Round(seconds*100) / 100 }
