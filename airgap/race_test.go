//go:build race

package airgap

// bigLayer is the size of layers in tests of memory. The race detector makes every byte some ten times as dear, and is there to find
// races, which a smaller layer has too.
const bigLayer = 48 << 20
