// Package libraries has no code: its go.mod pins the libraries that the suites below it compare
// Slipway with, none of which Slipway itself needs, and the programs ko and regctl, which make
// indexes for test/registries.
package libraries
