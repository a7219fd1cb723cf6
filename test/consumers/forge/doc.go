// Package forge makes of a signed release what a consumer would read otherwise, in every way that
// its formats allow, and judges what verify accepts by what containerd, podman, docker, skopeo and
// wharfie then have.
//
// The forger knows the formats and not the code of slipway: it reads and writes zstd frames, tar
// headers and JSON by itself, and calls slipway only as a command.
package forge
