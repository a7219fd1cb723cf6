package imagetag

import (
	"slices"

	"github.com/slipway-dev/slipway/internal/howto"
)

// Rules that say when a floating tag moves. An empty one is RuleForward.
const (
	RuleForward = "forward" // to a newer image only, by [Forward]
	RuleMove    = "move"    // whatever it names
	RuleKeep    = "keep"
)

// CheckRule returns an error for a text that is not a rule.
func CheckRule(rule string) error {
	if !slices.Contains([]string{"", RuleForward, RuleMove, RuleKeep}, rule) {
		return howto.Usage("-floating=%q is invalid: use forward, move or keep", rule)
	}
	return nil
}
