// Package heap lets a program that imports it collect garbage only once its heap has [Least]
// bytes. By default Go collects from 4 MiB on, and then whenever the heap has doubled: a short
// command with a small heap would collect thirty times before it exits.
//
// Without third-party imports, the package is initialized before most of those of the program.
// GOGC, if it is set, is left alone.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Least is the size in bytes from which the heap is collected. A heap of more live objects than
// half of it is collected as by default: when it has doubled.
const Least = 32 << 20

// percent is Go's own: a heap is collected when it has doubled.
const percent = 100

func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(percent * Least / (4 << 20)) // of 4 MiB, the least heap of Go
		watch()
	}
}

// cycle is an object that the next collection finds unused.
type cycle struct{ _ *cycle }

// watch calls adjust after each collection.
func watch() { runtime.AddCleanup(&cycle{}, func(int) { adjust(); watch() }, 0) }

// adjust sets the percentage by which the heap may grow over the live bytes.
func adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	debug.SetGCPercent(Percent(live[0].Value.Uint64()))
}

// Percent returns GOGC for a heap with so many live bytes.
func Percent(live uint64) int { return max(percent, int(percent*Least/max(live, 1<<20))-percent) }
