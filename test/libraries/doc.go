// Package libraries has no code: its go.mod pins the libraries that the suites below it compare
// Slipway with, none of which Slipway itself needs.
package libraries
