// Package kpack tests a release of kpack with kpack's own code, at the version that the
// release has: its configuration readers, its lifecycle provider, its builder and its build pods
// take what Slipway makes, over a registry on the loopback interface.
//
// The module is separate, so that kpack's dependencies stay out of Slipway's. The checksum
// database does not know kpack: its hashes are in go.sum and in slipway.yaml.
package kpack
