package dockerfile

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/layer"
)

// commit closes a layer: what changed in the tree since the last one, and a record in the
// history.
func (b *builder) commit(s *stage, createdBy string) error {
	read := !b.in.Check && !s.Toolchain
	entries, err := s.Tree.Entries(s.Windows(), read)
	if err != nil {
		return err
	}
	if err := layer.Check(entries, s.System.OS); err != nil {
		return err
	}
	b.program(s, entries)
	s.Tree.Begin()
	b.record(s, createdBy, len(entries) > 0)
	if len(entries) > 0 {
		s.layers = append(s.layers, Layer{Entries: entries, CreatedBy: createdBy})
		if read {
			s.Tree.Settle(entries)
		}
	}
	return nil
}

// record adds a line to the history.
func (b *builder) record(s *stage, createdBy string, withLayer bool) {
	s.history = append(s.history, v1.History{
		Created: v1.Time{Time: b.in.ModTime.UTC()}, CreatedBy: createdBy, Comment: "slipway", EmptyLayer: !withLayer,
	})
}
