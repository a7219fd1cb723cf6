package release

import (
	"context"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
)

// Publish publishes all of a product: images, charts, files for download, and last the floating tags.
func (s *Stage) Publish(ctx context.Context, r *built.Result) (*lock.Lock, error) {
	o := network.Options{Progress: s.Progress}
	prepared, err := publish.Prepare(ctx, s.Product, s.Store, r, o)
	if err != nil {
		return nil, err
	}
	l := prepared.Lock
	if len(s.Product.Charts) > 0 {
		_, charts, err := Render(ctx, s.Product, l, nil)
		if err != nil {
			return nil, err
		}
		if err := AddCharts(prepared, charts); err != nil {
			return nil, err
		}
	}
	if err := prepared.Push(ctx); err != nil {
		return nil, err
	}
	if err := s.Claim(Files(l)...); err != nil {
		return nil, err
	}
	if err := WriteCharts(s.Store, l, s.Out); err != nil {
		return nil, err
	}
	if _, err := WriteArtifacts(ctx, s.Store, l, s.Out); err != nil {
		return nil, err
	}
	return l, publish.Move(ctx, s.Store, l, o)
}

// PublishPart publishes what is selected of a product.
func (s *Stage) PublishPart(ctx context.Context, r *built.Result) (*lock.Part, error) {
	p, err := publish.PublishPart(ctx, s.Product, s.Store, r, network.Options{Progress: s.Progress})
	if err != nil {
		return nil, err
	}
	l, err := p.Local()
	if err != nil {
		return nil, err
	}
	if err := s.Claim(PartFiles(p)...); err != nil {
		return nil, err
	}
	if _, err := WriteArtifacts(ctx, s.Store, l, s.Out); err != nil {
		return nil, err
	}
	return p, nil
}
