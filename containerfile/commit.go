package containerfile

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/layer"
)

// commit closes a layer: what changed in the tree since the last one, and a record in the
// history.
func (b *builder) commit(s *stage, createdBy string) error {
	list, err := s.Tree.Entries(s.Windows())
	if err != nil {
		return err
	}
	if !b.in.Check && !s.Toolchain {
		if err := s.Tree.Fill(list); err != nil {
			return err
		}
	}
	if err := layer.Check(list.All, s.System.OS); err != nil {
		return err
	}
	b.program(s, list.All)
	s.Tree.Begin()
	b.record(s, createdBy, len(list.All) > 0)
	if len(list.All) > 0 {
		s.layers = append(s.layers, Layer{Entries: list.All, CreatedBy: createdBy, unread: list})
	}
	return nil
}

// record adds a line to the history.
func (b *builder) record(s *stage, createdBy string, withLayer bool) {
	s.history = append(s.history, v1.History{
		Created: v1.Time{Time: b.in.ModTime.UTC()}, CreatedBy: createdBy, Comment: "slipway", EmptyLayer: !withLayer,
	})
}
