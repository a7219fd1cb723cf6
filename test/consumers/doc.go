// Package consumers holds tests of airgap bundles with the programs that take them: RKE2's
// reader, containerd 1 and 2 by ctr and by the client that k3s and RKE2 have, docker of two
// generations, podman, skopeo and crane. What arrives stands in docs/consumers.md, which the
// tests hold current; see package consumertable. It is a module of its own, so that their dependencies
// stay out of Slipway's; the programs that no distribution has are built from the module in
// test/programs.
package consumers
