// Package lint compares package lint with those who decide in the end: each rule states since
// when the API server refuses what it is about, and the validation of a real one is asked; SARIF
// is validated by the standard's JSON schema. Manifests and charts of real products show which
// findings their maintainers would get: each has been judged by hand.
//
// The module is separate, so that the API server's many dependencies stay out of Slipway's.
package lint
