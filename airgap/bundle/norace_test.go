//go:build !race

package bundle_test

const (
	// bytes of layers in tests of memory: more than packing or verifying may take
	bigLayer   = 384 << 20
	curveLayer = 1 << 20   // bytes of each image where memory is held against their number
	crowdSize  = 600_000   // entries of a hostile archive
	hugeFile   = 1 << 30   // bytes of a hostile file
	longText   = 1_000_000 // how often a text is repeated, which takes more than a frame
	cutEvery   = 1         // how far apart a bundle is cut
)
