// Package workflows runs the workflow that products call, .github/workflows/product.yml, and
// release.yml, which releases slipway, by act on this machine: their expressions, matrix, outputs
// and steps are the real ones. What GitHub's own actions do is done by those of testdata/actions,
// in a few lines of shell.
package workflows
