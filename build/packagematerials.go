package build

import (
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// packageMaterials lists the packages that packages.lock.yaml installs for the images of a product
// and their bases, and the indexes that they were chosen from, each once.
func packageMaterials(p *product.Product) (all []lock.Material) {
	seen := map[string]bool{}
	add := func(m lock.Material) {
		if !seen[m.URI] {
			seen[m.URI] = true
			all = append(all, m)
		}
	}
	for _, e := range lockedPackages(p) {
		for _, l := range e.Packages {
			if l.Action != product.ActionInstall {
				continue
			}
			add(lock.Material{URI: packageURL(l), SHA256: l.SHA256.Hex})
			if l.Repository.URL != "" {
				add(lock.Material{
					URI: indexURL(l.Repository), SHA256: l.Repository.SHA256, Created: l.Repository.Date.UTC(),
				})
			}
		}
	}
	return all
}

// lockedPackages returns what packages.lock.yaml has for the images of a product.
func lockedPackages(p *product.Product) (all []product.LockedPackages) {
	for _, e := range p.LockedPackages {
		on := func(p platform.Platform) bool { return platform.Same(p, e.Platform) }
		if slices.ContainsFunc(p.Images, func(i product.Image) bool {
			return (e.Image == "" || i.Name == e.Image) && slices.ContainsFunc(i.Platforms, on)
		}) {
			all = append(all, e)
		}
	}
	return all
}

// fetchedPackages returns the packages of repositories that the images of a product install, each
// once.
func fetchedPackages(p *product.Product) (all []product.LockedPackage) {
	seen := map[v1.Hash]bool{}
	for _, e := range lockedPackages(p) {
		for _, l := range e.Packages {
			if l.Repository.URL != "" && !seen[l.SHA256] {
				seen[l.SHA256] = true
				all = append(all, l)
			}
		}
	}
	return all
}

// packageURL names a package, and where it is. One that is a file of the stage has its digest
// instead.
func packageURL(l product.LockedPackage) string {
	q := map[string]string{"arch": l.Arch}
	if l.Repository.URL != "" {
		q["download_url"] = l.URL()
	} else {
		q["checksum"] = l.SHA256.String()
	}
	distribution := "debian"
	if strings.Contains(l.Repository.URL, "ubuntu") {
		distribution = "ubuntu"
	}
	return purl.Deb(distribution, l.Name, l.Version, q)
}

// indexURL names an index of packages. Another one will be at its address, so that the name has the
// time, too.
func indexURL(r product.LockedRepository) string {
	return r.Index() + "#" + r.Date.UTC().Format(time.RFC3339)
}
