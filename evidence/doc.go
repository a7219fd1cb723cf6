// Package evidence makes and verifies what proves a release: a signed statement that names every
// image, manifest, chart and file, SBOMs, and signatures, as artifacts that refer to the images and
// as files.
//
// [Verify] checks images against the statement before anything of them is used: in bundles,
// volumes, deltas, extracted layouts and registries. [VerifyDir] checks a directory with the
// files of a release. Everything that they read is untrusted but for the public keys. Neither
// needs a network or a clock.
package evidence
