// Package evidence signs and verifies releases: by a signed statement that names every image,
// manifest, chart and file, SBOMs, and signatures, as referrers of the images and as files.
//
// [Verify] checks images against the statement before anything of them is used: in bundles,
// volumes, deltas, extracted layouts and registries. [VerifyDir] checks a directory with the
// files of a release. Everything that they read is untrusted but for the public keys. Neither
// needs a network or a clock.
package evidence
