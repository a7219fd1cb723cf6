package oci

// ReferrerRule says which referrers a push may leave out. Empty is [ReferrersRequire].
type ReferrerRule string

// The rules. The evidence of a release itself must reach the registry under each of them.
const (
	ReferrersRequire ReferrerRule = "require" // none
	ReferrersTry     ReferrerRule = "try"     // those that the registry refuses
	ReferrersNone    ReferrerRule = "none"    // all: they are not sent
)
