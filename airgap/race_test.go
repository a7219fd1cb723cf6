//go:build race

package airgap

// The race detector makes every byte some ten times as dear, and is there to find races, which smaller inputs have, too. Each of these is
// still above the bound that the tests are about.
const (
	bigLayer   = 48 << 20
	curveLayer = 16 << 10
	crowdSize  = 70_000
	hugeFile   = 64 << 20
)
