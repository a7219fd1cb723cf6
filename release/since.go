package release

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// Change is an input of a release that is not what it was in the last one.
type Change struct {
	Input string `json:"input"` // "version", "go", "source kpack", "image controller for linux/amd64: base"
	From  string `json:"from,omitempty"`
	To    string `json:"to,omitempty"`
}

// String returns the change as messages have it: "source kpack: module a@v1 → a@v2".
func (c Change) String() string {
	switch {
	case c.From == "":
		return c.Input + ": new, " + c.To
	case c.To == "":
		return c.Input + ": gone, was " + c.From
	}
	return c.Input + ": " + c.From + " → " + c.To
}

// since compares the inputs with those of the lock at path. A release replaces a file there that
// is not a lock.
func (pl *planner) since(ctx context.Context, path string) error {
	toolchain, err := build.GoVersion(ctx, pl.compiled)
	pl.refuse(err)
	old, err := lock.Read(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		pl.network.Progress.Printf("not comparing with an earlier release: %v", err)
		return nil
	}
	pl.old, pl.Lock = old, path
	pl.changed("product", old.Name, pl.Name)
	pl.changed("version", old.Version, pl.Version)
	pl.changed("go", old.Go, cmp.Or(toolchain, old.Go))
	pl.changed("time", old.Created.Format(timeForm), pl.names.Created.Format(timeForm))
	for _, s := range pl.names.Sources {
		n := slices.IndexFunc(old.Sources, func(o lock.Source) bool { return o.Name == s.Name })
		if n < 0 {
			pl.changed("source "+s.Name, "", sourceText(s))
			continue
		}
		pl.changed("source "+s.Name, sourceText(old.Sources[n]), sourceText(s))
	}
	for _, s := range old.Sources {
		if !slices.ContainsFunc(pl.names.Sources, func(n lock.Source) bool { return n.Name == s.Name }) {
			pl.changed("source "+s.Name, sourceText(s), "")
		}
	}
	pl.sincePrebuilt()
	for n, i := range pl.product.Images {
		pl.sinceImage(i, pl.outlines[n])
	}
	pl.sinceCharts()
	for _, i := range old.Images {
		if !slices.ContainsFunc(pl.product.Images, func(n product.Image) bool { return n.Name == i.Name }) && len(pl.Selected) == 0 {
			pl.changed("image "+i.Name, i.Digest.String(), "")
		}
	}
	return nil
}

// timeForm is how times stand in changes.
const timeForm = "2006-01-02T15:04:05Z"

// changed adds a change, if there is one.
func (pl *planner) changed(input, from, to string) {
	if from != to {
		pl.Changes = append(pl.Changes, Change{input, from, to})
	}
}

// sourceText returns what a source is: module and hash, or the commit of a directory. The files
// of a directory with changes are not known by it.
func sourceText(s lock.Source) string {
	if s.Module != "" {
		return strings.TrimSpace(s.Module + " " + s.Sum)
	}
	return "commit " + cmp.Or(s.Revision, "unknown")
}

// sinceImage compares the platforms of an image, and what it is built on.
func (pl *planner) sinceImage(i product.Image, now build.Outline) {
	old, ok := pl.old.Image(i.Name)
	if !ok {
		pl.changed("image "+i.Name, "", fmt.Sprintf("for %d platforms", len(now.On)))
		return
	}
	for _, on := range now.On {
		of := fmt.Sprintf("image %s for %s", i.Name, on.Platform)
		n := slices.IndexFunc(old.Children, func(c lock.Child) bool { return platform.Same(c.Platform, on.Platform) })
		if n < 0 {
			pl.changed(of, "", "platform")
			continue
		}
		was := old.Children[n]
		pl.changed(of+": base", baseText(was.Base), baseText(on.Base))
		for _, b := range on.CopiedFrom {
			if !slices.ContainsFunc(was.CopiedFrom, func(o lock.Base) bool { return baseText(&o) == baseText(&b) }) {
				pl.changed(of+": files", "", "from "+baseText(&b))
			}
		}
	}
	for _, c := range old.Children {
		if len(pl.Selected) == 0 && !slices.ContainsFunc(now.On, func(on build.Grounds) bool { return platform.Same(c.Platform, on.Platform) }) {
			pl.changed(fmt.Sprintf("image %s for %s", i.Name, c.Platform), "platform", "")
		}
	}
}

// baseText returns what a base is. A reference to a registry has its digest.
func baseText(b *lock.Base) string {
	switch {
	case b == nil:
		return "scratch"
	case b.Stub:
		return "a stub of " + b.Name
	case strings.Contains(b.Name, "@"):
		return b.Name
	case b.Digest == (v1.Hash{}):
		return b.Name + ", not pinned"
	}
	return b.Name + "@" + b.Digest.String()
}
