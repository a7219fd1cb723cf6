package shard

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"

	"github.com/slipway-dev/slipway/internal/stagefile"
)

// WeightsName is the file's name in the store, and next to the part of a shard. It is not in dist/,
// which has the same bytes whatever the times were.
const WeightsName = "release.weights.json"

// The units of weights.
const (
	Seconds  = "seconds"
	Packages = "packages"
)

// Weights tells how long compilers and linkers took, in seconds of a processor.
type Weights struct {
	WeightsVersion int               `json:"weightsVersion"` // of the file's format
	Systems        map[string]*Times `json:"systems"`        // by operating system and architecture, such as linux/amd64
}

// Times are those of a system, by import path.
type Times struct {
	Packages map[string]float64 `json:"packages,omitempty"` // to compile
	Programs map[string]float64 `json:"programs,omitempty"` // to link
}

// NewWeights returns weights without any times.
func NewWeights() *Weights {
	return &Weights{WeightsVersion: stagefile.Weights.Version, Systems: map[string]*Times{}}
}

// ReadWeights reads weights from a file. One that is missing has no times, unless it is required.
func ReadWeights(path string, required bool) (*Weights, error) {
	w := NewWeights()
	switch err := stagefile.Weights.Read(path, w); {
	case errors.Is(err, fs.ErrNotExist) && !required:
		return NewWeights(), nil
	case err != nil:
		return nil, err
	}
	for system, t := range w.Systems {
		for _, all := range []map[string]float64{t.packages(), t.programs()} {
			for name, s := range all {
				if s < 0 || math.IsNaN(s) || s > maxSeconds {
					return nil, fmt.Errorf("%s: %w", path, stagefile.Weights.Invalid(fmt.Errorf("%q for %s took %g seconds", name, system, s)))
				}
			}
		}
	}
	return w, nil
}

// maxSeconds is a day, longer than any package takes.
const maxSeconds = 86400

// Write writes the weights to a file.
func (w *Weights) Write(path string) error { return stagefile.Weights.Write(path, w) }

// Empty reports whether nothing is known.
func (w *Weights) Empty() bool { return len(w.Systems) == 0 }

// Package adds the time that a package took to compile for a system.
func (w *Weights) Package(system, path string, seconds float64) {
	t := w.of(system)
	if t.Packages == nil {
		t.Packages = map[string]float64{}
	}
	t.Packages[path] = Round(seconds)
}

// Program adds the time that a program took to link for a system.
func (w *Weights) Program(system, path string, seconds float64) {
	t := w.of(system)
	if t.Programs == nil {
		t.Programs = map[string]float64{}
	}
	t.Programs[path] = Round(seconds)
}

func (w *Weights) of(system string) *Times {
	if w.Systems[system] == nil {
		w.Systems[system] = &Times{}
	}
	return w.Systems[system]
}

// Add adds times, in place of those that are there.
func (w *Weights) Add(o *Weights) {
	for system, t := range o.Systems {
		for path, s := range t.packages() {
			w.Package(system, path, s)
		}
		for path, s := range t.programs() {
			w.Program(system, path, s)
		}
	}
}

func (t *Times) packages() map[string]float64 {
	if t == nil {
		return nil
	}
	return t.Packages
}

func (t *Times) programs() map[string]float64 {
	if t == nil {
		return nil
	}
	return t.Programs
}

// Item is a package to compile, or a program to link, for a system.
type Item struct {
	System, Path string
	Program      bool
}

// linking is how many packages a program takes as long to link as to compile.
const linking = 10

// Of returns the weights of items. What nothing is known of weighs as much as the others on
// average.
func (w *Weights) Of(items []Item) (weights []float64, unit string) {
	packages, programs := w.mean((*Times).packages), w.mean((*Times).programs)
	unit = Seconds
	switch {
	case packages == 0 && programs == 0:
		packages, programs, unit = 1, linking, Packages
	case packages == 0: // the build cache had them all
		packages = programs / linking
	case programs == 0:
		programs = packages * linking
	}
	for _, i := range items {
		t, other := w.Systems[i.System].packages(), packages
		if i.Program {
			t, other = w.Systems[i.System].programs(), programs
		}
		s, ok := t[i.Path]
		if !ok {
			s = other
		}
		weights = append(weights, s)
	}
	return weights, unit
}

// mean returns the average of all times of a kind; 0 if there are none.
func (w *Weights) mean(of func(*Times) map[string]float64) float64 {
	sum, n := 0.0, 0
	for _, t := range w.Systems {
		for s := range maps.Values(of(t)) {
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
