// Package kyverno has no code: its go.mod pins Kyverno, of which the suite builds the verifier of
// images. It is a module of its own because Kyverno needs a true client of Kubernetes, which
// cosign is built without (test/verifiers/programs).
package kyverno
