package release

import (
	"context"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Build builds the images into the store.
func (s *Stage) Build(ctx context.Context) (*StageResult, error) {
	o := assemble.Options{Store: s.Store, Progress: s.Progress, Rebuild: s.Rebuild}
	r, err := assemble.Build(ctx, s.Product, o)
	if err == nil {
		err = s.claim(distfile.Build)
	}
	if err != nil {
		return nil, err
	}
	var images []imageRow // which have no names in a registry yet
	for _, i := range r.Images {
		images = append(images, imageRow{i.Name, nil, i.Digest, i.Children})
	}
	return s.finish(r, distfile.Build, images)
}

// Publish publishes the images that were built, of the complete product or of a selection.
func (s *Stage) Publish(ctx context.Context) (*StageResult, error) {
	r, err := s.built()
	if err != nil {
		return nil, err
	}
	if s.Product, err = Complete(ctx, s.Product); err != nil {
		return nil, err
	}
	if len(s.Product.Selected) > 0 {
		var images []imageRow
		p, omitted, err := s.part(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, i := range p.Images {
			images = append(images, imageRow{i.Name, nil, v1.Hash{}, i.Children})
		}
		done, err := s.finish(p, lock.PartName, images, distfile.Build)
		if err == nil {
			done.omitted = omitted
		}
		return done, err
	}
	prepared, err := s.all(ctx, r)
	if err != nil {
		return nil, err
	}
	l := prepared.Lock
	done, err := s.finish(l, lock.Name, imageRows(l), distfile.Build)
	if err != nil {
		return nil, err
	}
	done.omitted = prepared.Omitted
	return done, publish.Move(ctx, s.Store, l, network.Options{Progress: s.Progress})
}

// imageRows lists the images of a lock.
func imageRows(l *lock.Lock) (images []imageRow) {
	for _, i := range l.Published() {
		tagged := i.Tagged()
		also := slices.DeleteFunc(slices.Clone(i.References()), func(name string) bool { return name == tagged })
		images = append(images, imageRow{tagged, also, i.Digest, i.Children})
	}
	return images
}

// all publishes all of a product but for the floating tags: images, charts, files for download.
func (s *Stage) all(ctx context.Context, r *built.Result) (*publish.Prepared, error) {
	o := network.Options{Progress: s.Progress}
	prepared, err := publish.Prepare(ctx, s.Product, s.Store, r, o)
	if err != nil {
		return nil, err
	}
	l := prepared.Lock
	if err := s.judge(ctx, l); err != nil {
		return nil, err
	}
	if len(s.Product.Charts) > 0 {
		_, charts, err := Render(ctx, s.Product, l, nil)
		if err != nil {
			return nil, err
		}
		if err := AddCharts(prepared, charts); err != nil {
			return nil, err
		}
	}
	if err := airgap.Check(s.Store, l, Targets(s.Product.Airgap), airgap.PackOptions{}); err != nil {
		return nil, err
	}
	if err := prepared.Push(ctx); err != nil {
		return nil, err
	}
	if err := s.claim(Files(l)...); err != nil {
		return nil, err
	}
	if err := WriteCharts(s.Store, l, s.Out); err != nil {
		return nil, err
	}
	if err := WriteArtifacts(ctx, s.Store, l, s.Out); err != nil {
		return nil, err
	}
	return prepared, nil
}

// judge checks the images by the rules of package lint, and prints findings below severity error.
func (s *Stage) judge(ctx context.Context, l *lock.Lock) error {
	found, err := judgeImages(ctx, s.Product, s.Store, l)
	for _, f := range found {
		s.Progress.Printf("%s: %s", f.Severity, f)
	}
	return err
}

// part publishes the selected part of a product.
func (s *Stage) part(ctx context.Context, r *built.Result) (*lock.Part, []transfer.OmittedReferrer, error) {
	p, omitted, err := publish.PublishPart(ctx, s.Product, s.Store, r, network.Options{Progress: s.Progress})
	if err != nil {
		return nil, nil, err
	}
	l, err := p.Local()
	if err == nil {
		err = s.judge(ctx, l)
	}
	if err != nil {
		return nil, nil, err
	}
	if err := s.claim(PartFiles(p)...); err != nil {
		return nil, nil, err
	}
	if err := WriteArtifacts(ctx, s.Store, l, s.Out); err != nil {
		return nil, nil, err
	}
	return p, omitted, nil
}
