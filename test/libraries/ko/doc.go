// Package ko compares an image of one Go program with google/ko's image of the same program on
// the same base: the same files with the same bytes and modes, the same configuration. Where the
// two differ on purpose, a test says so.
//
// The package is not in Slipway's module, so that ko's many dependencies stay out of that.
package ko
