package product

import (
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Undecided is a fact about the product that nobody has decided yet.
type Undecided struct {
	// Key is where slipway.yaml has the fact, and What the question.
	Key, What string
	// Candidates are possible values, first that in slipway.yaml; empty if nothing is known.
	Candidates []Candidate
	Pos        yamlfile.Pos
}

// Candidate is a value that a fact may have.
type Candidate struct {
	Value string
	Seen  []string // file:line
}
