package storetest

import (
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Product returns the product that a lock is of.
func Product(tb testing.TB, l *lock.Lock) *product.Product {
	tb.Helper()
	p := &product.Product{Name: l.Name, Version: l.Version, Created: l.Created, Path: product.File}
	for _, i := range l.Images {
		img := product.Image{
			Name: i.Name, Version: l.Version, Repositories: []string{l.Name + "/" + i.Name},
			Tags: []string{l.Version},
		}
		for _, c := range i.Children {
			img.Platforms = append(img.Platforms, c.Platform)
		}
		p.Images = append(p.Images, img)
	}
	return p
}

// Only returns p cut down to an operating system, as -platforms does.
func Only(p *product.Product, system string) *product.Product {
	part := *p
	part.Selected, part.Images = []string{system}, nil
	for _, i := range p.Images {
		i.Platforms = slices.DeleteFunc(slices.Clone(i.Platforms), func(s platform.Platform) bool {
			return s.OS != system
		})
		if len(i.Platforms) > 0 {
			part.Images = append(part.Images, i)
		}
	}
	return &part
}
