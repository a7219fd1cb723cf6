// Package kyverno has no code: its go.mod pins Kyverno, of which the suite builds the verifier of
// images. The module is separate because Kyverno needs a true client of Kubernetes, which cosign
// is built without (test/verifiers/programs).
package kyverno
