package product

import "github.com/slipway-dev/slipway/internal/yamlfile"

// Rules for the floating tags of a release.
const (
	FloatingForward = "forward" // they move to a newer version only
	FloatingMove    = "move"    // they move, whatever they name
	FloatingKeep    = "keep"    // they stay
)

// floating takes the rule that -floating names.
func (c *checker) floating(rule string) {
	switch rule {
	case "", FloatingForward:
	case FloatingMove, FloatingKeep:
		c.out.Floating = rule
	default:
		c.At(yamlfile.Pos{}, "-floating=%q is invalid: use forward, move or keep", rule)
	}
}
