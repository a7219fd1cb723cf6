package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/pin"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/release"
)

func newPin(f *flags) *cobra.Command {
	p := &pinning{flags: f}
	cmd := &cobra.Command{
		Use:   "pin [bases|images]",
		Short: "Pin base images and third-party images by digest",
		Long: `Pin adds digests to the images that a release uses, and prints what changed. With an argument
it pins the base images only, or the third-party images only.

Bases: pin resolves the tags of the base images in slipway.yaml and writes their digests to
bases.lock.yaml next to it, with those of the images that FROM and COPY --from of the
Dockerfiles name. A release to a registry is built on the locked digests; if a tag has moved
since, the release prints a warning and continues. A digest in a Dockerfile is printed and not
locked.

Images: pin finds the references to third-party images in images.txt, in the templates that are
in the repository of slipway.yaml, and below release in slipway.yaml. To each tag without a
digest it adds the current one, repository:tag@sha256:…. Comments, order and all other text stay.
Images that only rendered manifests of third-party modules and charts name are pinned in
images.lock.yaml, next to slipway.yaml; entries that nothing names any more are removed. A release
to a registry does not look up tags: an image without a pin is an error.

A pinned digest does not change. With -update, pin resolves all tags again. With -newer=patch or
-newer=minor, it replaces tags by the newest version of the same form that the registry has:
1.2.3-alpine by 1.2.4-alpine. Tags without a version, such as latest and ltsc2022, dates, and tags
in Dockerfiles are not replaced. A new third-party image that breaks a rule of slipway audit is an
error, if nodes of the product would run the wrong one; platforms that it lacks are a warning.

With -check, pin writes nothing; anything that -update would change is an error.`,
		Example: `  slipway pin
  slipway pin -update -newer=patch -json
  slipway pin bases -check -product=examples/hello/slipway.yaml`,
		ValidArgs: []string{"bases", "images"},
		RunE:      f.prints(p.run),
	}
	cmd.Flags().BoolVar(&p.update, "update", false, "resolve pinned tags again")
	cmd.Flags().BoolVar(&p.check, "check", false, "write nothing, and fail if -update would change something")
	cmd.Flags().TextVar(&p.newer, "newer", imagetag.None, "raise tags to newer versions: patch or minor")
	offer(cmd, "newer", "patch", "minor")
	return add(cmd, f.addDescription, f.addJSON)
}

// pinning has the flags of the command.
type pinning struct {
	flags         *flags
	update, check bool
	newer         imagetag.Level
}

// run resolves first and writes then, so that an error leaves all files as they were.
func (p *pinning) run(cmd *cobra.Command, args []string) (table, error) {
	bases, images := true, true
	if len(args) > 0 {
		bases, images = args[0] == "bases", args[0] == "images"
		if !bases && !images {
			return nil, misuse(cmd, "pin takes bases or images: got %q", args[0])
		}
	}
	of, err := product.Load(cmd.Context(),
		product.Options{Path: p.flags.product, Made: p.flags.paths(), Bases: true})
	if err != nil {
		return nil, err
	}
	var done pinned
	var locked *base.Locked
	if bases {
		if locked, err = p.bases(cmd, of); err != nil {
			return nil, err
		}
		done.Table = &base.Table{Bases: locked.Changes}
	}
	if images {
		if done.Result, err = p.images(cmd, of); err != nil {
			return nil, err
		}
	}
	if p.check {
		return verdict{done, done.outdated(filepath.Join(filepath.Dir(of.Path), product.BasesLock))}, nil
	}
	return done, p.write(cmd.Context(), of, locked, done.Result, saying(cmd))
}

// bases resolves the bases of slipway.yaml and of the Dockerfiles.
func (p *pinning) bases(cmd *cobra.Command, of *product.Product) (*base.Locked, error) {
	references, unread, err := release.References(cmd.Context(), of)
	if err != nil {
		return nil, err
	}
	for _, u := range unread {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: not all images that Dockerfiles name are known: %s\n", u)
	}
	l, err := base.Lock(cmd.Context(), of, network.New(network.Options{}),
		base.LockOptions{Update: p.update || p.check, Newer: p.newer, References: references})
	if err == nil && len(unread) > 0 {
		l.Keep(of.LockedReferences)
	}
	return l, err
}

// images resolves the third-party images.
func (p *pinning) images(cmd *cobra.Command, of *product.Product) (*pin.Result, error) {
	o := pin.Options{Update: p.update || p.check, Newer: p.newer}
	r, err := pin.Find(cmd.Context(), of, release.Named, transfer.New(network.Options{}), o)
	if err == nil {
		err = release.JudgePins(of, r)
	}
	if err != nil {
		return nil, err
	}
	for _, w := range r.Warnings {
		fmt.Fprintf(cmd.ErrOrStderr(), "warning: %s\n", w)
	}
	return r, nil
}

// write writes the files that change.
func (p *pinning) write(
	ctx context.Context, of *product.Product, l *base.Locked, r *pin.Result, say func(string, ...any),
) error {
	if r != nil {
		if err := r.Write(ctx, say); err != nil {
			return err
		}
	}
	if l == nil {
		return nil
	}
	return product.WriteBases(ctx, of, l.Entries, l.References, say)
}

// pinned is the printed result of pin: nil for what it was not asked for.
type pinned struct {
	*base.Table
	*pin.Result
}

// outdated returns an error for each base and image that would change.
func (p pinned) outdated(lock string) (err error) {
	if p.Table != nil {
		err = p.Table.Outdated(lock)
	}
	if p.Result != nil {
		err = errors.Join(err, p.Result.Outdated())
	}
	return err
}

// WriteTable writes the bases, and then the images.
func (p pinned) WriteTable(w io.Writer) error {
	if p.Table != nil && (len(p.Bases) > 0 || p.Result == nil) {
		if err := p.Table.WriteTable(w); err != nil || p.Result == nil {
			return err
		}
	}
	return p.Result.WriteTable(w)
}
