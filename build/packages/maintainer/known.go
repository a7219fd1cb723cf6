package maintainer

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// knownScript is a script that cannot be evaluated, and whose effect is known.
type knownScript struct {
	reason string
	do     func(t *tree.Tree, s Script) error // nil where there is none
}

// knownScripts are by package and name of the script, and SHA-256 of its text.
var knownScripts = map[string]map[string]knownScript{}

// known carries out a script that is in the table.
func (r *run) known() (bool, error) {
	sum := sha256.Sum256(r.s.Text)
	k, ok := knownScripts[r.s.Package+"."+r.s.Name][hex.EncodeToString(sum[:])]
	if !ok {
		return false, nil
	}
	r.note(r.s, Known, k.reason)
	if k.do == nil {
		return true, nil
	}
	return true, k.do(r.t, r.s)
}
