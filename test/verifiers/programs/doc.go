// Package programs has no code: its go.mod pins the verifiers that the suite builds, cosign 3 and 2
// and the policy of containers/image. testdata has a main function for each.
//
// The verifiers are the code of these projects as it is, but smaller. testdata/without replaces
// modules that no verification by a key needs: policies in CUE and Rego, clients of Kubernetes
// and of clouds, and providers of keys and identities. Their functions fail. The whole command of
// cosign 3 has 1,765 packages; without these it is 673. These directories have no go.mod: the
// build gives each one by -overlay (internal/testing/cache), as the linters do; go mod tidy needs
// it, too.
//
// The programs are in testdata so that they are not linted or vetted, which would compile
// everything once more with cgo.
package programs
