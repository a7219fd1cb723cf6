package progress

import (
	"slices"
	"sync"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Warnings collects warnings, each once, and prints each when it is added. Several goroutines may
// call its methods. The zero value collects without printing.
type Warnings struct {
	// Printer prints them; nil prints nothing.
	Printer *Printer

	mu      sync.Mutex
	printed map[string]bool
	all     []string
}

// digest matches the digests of images. A check has no digests of images that a release makes: what
// differs in digests only is the same warning.
var digest = lazyregexp.New(`sha256:(?:[0-9a-f]{64}|…)`)

// Add adds a warning, unless it was added before.
func (w *Warnings) Add(line string) {
	key := digest.ReplaceAllString(line, "sha256:…")
	w.mu.Lock()
	known := w.printed[key]
	if w.printed == nil {
		w.printed = map[string]bool{}
	}
	w.printed[key] = true
	if !known {
		w.all = append(w.all, line)
	}
	w.mu.Unlock()
	if !known {
		w.Printer.Printf("%s", line)
	}
}

// All returns the warnings in the order in which they were added.
func (w *Warnings) All() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.all)
}
