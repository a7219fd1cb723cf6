//go:build race

package bundle_test

// The race detector makes every byte some ten times as dear, and is there to find races, which
// smaller inputs have, too. What is to be refused is still above its bound.
const (
	bigLayer   = 24 << 20
	curveLayer = 16 << 10
	crowdSize  = 70_000
	hugeFile   = 64 << 20
	longText   = 100_000
	cutEvery   = 7
)
