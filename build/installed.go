package build

import (
	"errors"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/installed"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// installed lists the packages of a distribution that an image has, with where those came from that
// this release installed. An image on a stub has none that are known.
func (b *Builder) installed(c *content, i product.Image, p platform.Platform, r dockerfile.Result) error {
	files, ok := r.Files()
	if !ok {
		return nil
	}
	all, err := installed.List(files)
	if limit := (*tree.LimitError)(nil); errors.As(err, &limit) {
		c.notes = append(c.notes, "the packages of the base are not listed: "+limit.Error())
		return nil
	}
	if err != nil {
		return err
	}
	b.origins(all, installedBy(b.product, i.Name, p))
	for n := range all {
		for _, of := range r.Base.Packages {
			if of.Name == all[n].Name && of.Architecture == all[n].Architecture && of.Version == all[n].Version {
				all[n] = of
			}
		}
	}
	c.packages = all
	if slices.ContainsFunc(r.Layers, func(l dockerfile.Layer) bool { return installs(l.Entries) }) {
		c.owned, err = installed.Owned(files, all)
	}
	return err
}

// origins adds to packages where those came from that this release installed, and which of their
// scripts it did not carry out.
func (b *Builder) origins(all []lock.Package, taken map[[2]string]product.LockedPackage) {
	for n := range all {
		one := &all[n]
		from, ok := taken[[2]string{one.Name, one.Architecture}]
		if !ok || from.Version != one.Version {
			continue
		}
		one.SHA256, one.URL = from.SHA256.Hex, from.URL()
		for _, s := range b.product.Packages.SkipScripts {
			if s.Package == one.Name {
				one.Skipped = append(one.Skipped, lock.SkippedScripts{Scripts: s.Scripts, Reason: s.Reason})
			}
		}
	}
}

// installedBy returns the packages that packages.lock.yaml installs for an image on a platform,
// in any stage, by name and architecture: as the last of its commands leaves them.
func installedBy(p *product.Product, image string, on platform.Platform) map[[2]string]product.LockedPackage {
	return locked(p, on, func(e product.LockedPackages) bool { return e.Image == image })
}

// installedInBase returns the packages of a base that consists of packages, as installedBy does.
func installedInBase(p *product.Product, base string, on platform.Platform) map[[2]string]product.LockedPackage {
	return locked(p, on, func(e product.LockedPackages) bool { return e.Image == "" && e.Stage == base })
}

func locked(p *product.Product, on platform.Platform,
	is func(product.LockedPackages) bool,
) map[[2]string]product.LockedPackage {
	all, stage := map[[2]string]product.LockedPackage{}, map[[2]string]string{}
	for _, e := range p.LockedPackages {
		if !is(e) || !platform.Same(e.Platform, on) {
			continue
		}
		for _, l := range e.Packages {
			if key := [2]string{l.Name, l.Arch}; l.Action == product.ActionInstall {
				all[key], stage[key] = l, e.Stage
			} else if stage[key] == e.Stage {
				delete(all, key)
			}
		}
	}
	return all
}

// installs reports whether a layer changes which packages are installed.
func installs(entries []layer.Entry) bool {
	return slices.ContainsFunc(entries, func(e layer.Entry) bool { return installed.Changed(e.Path) })
}

// notPackaged leaves out of a layer that installs packages the files that came with them: their
// packages are listed. A program that has build information of Go is listed, too, since that names
// modules which the package does not. What a file replaces is removed from the list.
func (c *content) notPackaged(entries []layer.Entry, programs []lock.Program) ([]layer.Entry, []lock.Program) {
	if !installs(entries) {
		return entries, programs
	}
	keep := map[v1.Hash]bool{}
	for _, p := range programs {
		keep[p.Digest] = p.Go != ""
	}
	listed := map[v1.Hash]bool{}
	entries = slices.Clone(entries)
	for n, e := range entries {
		switch {
		case e.Type != layer.Regular && e.Type != layer.Hardlink:
		case c.owned[e.Path] && !keep[e.Content.Digest]:
			entries[n] = layer.Entry{Path: e.Path, Type: layer.Whiteout}
		default:
			listed[e.Content.Digest] = true
		}
	}
	return entries, slices.DeleteFunc(programs, func(p lock.Program) bool { return !listed[p.Digest] })
}
