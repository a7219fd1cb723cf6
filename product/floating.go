package product

import (
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// floating takes the rule that -floating names.
func (c *checker) floating(rule string) {
	if err := imagetag.CheckRule(rule); err != nil {
		c.At(yamlfile.Pos{}, "%s", err)
	} else if rule != imagetag.RuleForward {
		c.out.Floating = rule
	}
}
