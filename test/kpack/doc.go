// Package kpack holds a release of kpack against kpack's own code, at the version that the
// release has: its configuration readers, its lifecycle provider, its builder and its build pods
// take what Slipway makes, over a registry on the loopback interface.
//
// It is a module of its own, so that kpack's dependencies stay out of Slipway's. The checksum
// database does not know kpack: its hashes stand in go.sum, where slipway.yaml has them too.
package kpack
