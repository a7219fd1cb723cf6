package build

import (
	"errors"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/dockerfile"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/installed"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/lock"
)

// installed lists the packages of a distribution that an image has. An image on a stub has none
// that are known.
func (b *Builder) installed(c *content, r dockerfile.Result) error {
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
	c.packages = all
	if slices.ContainsFunc(r.Layers, func(l dockerfile.Layer) bool { return installs(l.Entries) }) {
		c.owned, err = installed.Owned(files, all)
	}
	return err
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
