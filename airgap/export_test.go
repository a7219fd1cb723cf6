package airgap

import "github.com/slipway-dev/slipway/internal/transfer"

var (
	NewRenamer  = newRenamer
	Rename      = rename
	ReadRelease = readRelease
)

// Bytes is the file with new names.
func (r *release) Bytes() []byte { return r.bytes }

// Pins are the references in it.
func (r *release) Pins() []transfer.Pin { return r.pins }
