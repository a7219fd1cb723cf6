// Package consumers tests airgap bundles with the programs that read them: RKE2's reader,
// containerd 1 and 2 by ctr and by the client that k3s and RKE2 have, docker of two generations,
// podman, skopeo and crane. docs/results/consumers.md has what arrives, and the tests keep it
// current; see package consumertable. The module is separate, so that their dependencies stay out
// of Slipway's; the programs that no distribution has are built from the module in test/programs.
package consumers
