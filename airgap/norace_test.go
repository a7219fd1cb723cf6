//go:build !race

package airgap

// bigLayer is the size of layers in tests of memory: more than packing or verifying may take.
const bigLayer = 384 << 20
