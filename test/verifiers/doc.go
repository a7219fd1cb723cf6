// Package verifiers lets third-party programs judge the evidence of a release: cosign 3 and 2,
// sigstore-js, openssl, the policy of containers/image, Kyverno's verifier, and readers of SPDX
// and CycloneDX. Each has to accept what slipway signed and to refuse it with another key,
// changed, or with another image.
//
// The tests run in a network namespace that has only a loopback interface: registries, programs
// and slipway itself are in it, so nothing can ask another machine. Programs are built before,
// into the user's cache (test/verifiers/programs). The policies that are tried are the files in
// docs/samples/policies. The module is separate, so that its dependencies stay out of Slipway's.
package verifiers
