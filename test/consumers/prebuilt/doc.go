// Package prebuilt lets the programs that people build images with make images for Linux,
// releases them with Windows halves of Slipway, and gives the release to those who run images.
// Images for Windows are tested in the same way: containerd fetches them for hosts of each
// release.
//
// A half keeps the digest that its builder printed, in the index of the release and in whatever
// pulls that. What its builder has signed and attested is in the registry of the release, and in a
// registry that a bundle was pushed to. No network is needed but that of the machine.
package prebuilt
