package product

import (
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Undecided is a fact about the product that nobody has decided yet.
type Undecided struct {
	// Key is where slipway.yaml has the fact, and What says what is not known.
	Key, What string
	// Candidates are what it may be, that which slipway.yaml has first; none if nothing is known.
	Candidates []Candidate
	Pos        yamlfile.Pos
}

// Candidate is a value that a fact may have.
type Candidate struct {
	Value string
	Seen  []string // file:line
}
