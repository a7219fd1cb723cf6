package assemble

import (
	"context"
	"fmt"
	"slices"

	"github.com/slipway-dev/slipway/assemble/inputs"
	"github.com/slipway-dev/slipway/lock"
)

// here is what a release is made from, at one time.
type here struct {
	sources []lock.Material
	set     *inputs.Set
}

// Here lists the materials that all parts of a release share: the archive of inputs, which goes
// into the store, sources and slipway. [Builder.Unchanged] compares with them.
func (b *Builder) Here(ctx context.Context) ([]lock.Material, error) {
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	return b.materials(ctx)
}

// begin looks, and warns of what others would lack.
func (b *Builder) begin(ctx context.Context) error {
	if err := b.lookFirst(ctx); err != nil {
		return err
	}
	for _, path := range b.before.set.Outside {
		b.warnings.Add("warning: " +
			path + " is outside of the product's repository: others cannot build the release without it")
	}
	return nil
}

// materials archives what begin has found, and lists it.
func (b *Builder) materials(ctx context.Context) ([]lock.Material, error) {
	archive, err := archived(ctx, b.product, b.before.set, b.store)
	if err != nil {
		return nil, err
	}
	self, err := slipway(b.store)
	if err != nil {
		return nil, err
	}
	return append(slices.Clone(b.before.sources), archive, self), nil
}

// lookFirst looks unless that was done before.
func (b *Builder) lookFirst(ctx context.Context) error {
	if b.before != nil {
		return nil
	}
	before, err := b.look(ctx)
	if err == nil {
		b.before = before
	}
	return err
}

func (b *Builder) look(ctx context.Context) (*here, error) {
	all, err := b.sources(ctx)
	if err != nil {
		return nil, err
	}
	set, err := collect(ctx, b.product, all)
	if err != nil {
		return nil, err
	}
	return &here{all, set}, nil
}

// runAgain is the remedy for what has changed.
const runAgain = "changed while the release was made, which may have it as it was or as it is: run again"

// Unchanged compares what is here with what was here when [Builder.Here] looked first: whatever
// was read in between is what the statement of the release says. It is to be called after
// everything was.
func (b *Builder) Unchanged(ctx context.Context) error {
	now, err := b.look(ctx)
	if err != nil {
		return err
	}
	if path := b.before.set.Changed(now.set); path != "" {
		return fmt.Errorf("%s %s", path, runAgain)
	}
	if path := b.product.Changed(now.set.Stamp); path != "" {
		return fmt.Errorf("%s %s", path, runAgain)
	}
	for n, m := range b.before.sources {
		if m != now.sources[n] {
			return fmt.Errorf("%s %s", m.Title(), runAgain)
		}
	}
	return nil
}
