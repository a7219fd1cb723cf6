// Package bundletest makes bundles for tests: of a small release, and forged ones.
package bundletest
