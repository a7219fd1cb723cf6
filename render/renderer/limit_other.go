//go:build !linux

package renderer

// limitMemory does nothing: the watchdog bounds the memory alone.
func limitMemory(int64) {}
