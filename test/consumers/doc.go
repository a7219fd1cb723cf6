// Package consumers holds tests of airgap bundles with the programs that take them: RKE2's reader, containerd, docker, podman and skopeo. It is a
// module of its own, so that their dependencies stay out of Slipway's.
package consumers
