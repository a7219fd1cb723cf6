package oci

import "fmt"

// ReferrerRule says which referrers a push may leave out. Empty is [ReferrersRequire].
type ReferrerRule string

// The rules. The evidence of a release itself must reach the registry under each of them.
const (
	ReferrersRequire ReferrerRule = "require" // none
	ReferrersTry     ReferrerRule = "try"     // those that the registry refuses
	ReferrersNone    ReferrerRule = "none"    // all: they are not sent
)

// Set sets the rule from a flag.
func (r *ReferrerRule) Set(s string) error {
	switch ReferrerRule(s) {
	case ReferrersRequire, ReferrersTry, ReferrersNone:
		*r = ReferrerRule(s)
		return nil
	}
	return fmt.Errorf("write %s, %s or %s", ReferrersRequire, ReferrersTry, ReferrersNone)
}

// String returns the rule as the flag has it.
func (r *ReferrerRule) String() string { return string(*r) }

// Type names the values of the flag.
func (r *ReferrerRule) Type() string { return "require|try|none" }
