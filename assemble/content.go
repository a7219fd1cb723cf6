package assemble

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/inventory"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/image/packages"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

// content is what a kind makes of an image for one platform, before it gets its labels
// and is written.
type content struct {
	base   base.Base
	config v1.Config
	layers []manifest.Layer
	from   []base.Info // other images that files were copied from
	// history has one record per instruction of a Dockerfile; nil means one per layer.
	history []v1.History
	notes   []string // what could not be checked, or may be a mistake
	// files are those of the layers, and programs those among them that systems start.
	files    inventory.Files
	programs []lock.Program
	packages []lock.Package // those that are installed
}

// newContent returns an image without layers of its own. The files of a built-in base are listed
// with the image's: no other list has them. The text that all time zones are made from represents
// them.
func newContent(parent base.Base) (content, error) {
	c := content{base: parent}
	return c, c.files.Builtin(slices.DeleteFunc(parent.Entries(), base.IsZone), parent.Platform.OS)
}

// list checks the entries of a layer and adds them to the files of an image.
func (c *content) list(ctx context.Context, st *store.Store, i product.Image, p platform.Platform,
	entries []layer.Entry,
) error {
	programs, err := checkPrograms(ctx, st, i, p, entries)
	if err != nil {
		return err
	}
	for _, e := range programs {
		one, err := inventory.Program(ctx, st, e.Content)
		if err != nil {
			return err
		}
		if err := generation(one, p); err != nil && !allowed(i.AllowOtherPlatforms, e.Path) {
			return misfit(e, err)
		}
		c.programs = append(c.programs, one)
	}
	return c.files.Add(entries, p.OS)
}

// generation reports a Go program that was compiled for a newer ARM than a platform has. That one
// for amd64 or arm64 needs newer processors is a choice of its maker: their platforms promise none.
func generation(of lock.Program, p platform.Platform) error {
	n := slices.IndexFunc(of.Settings, func(s lock.Setting) bool { return s.Key == "GOARM" })
	if n < 0 || of.Architecture != "arm" || p.Architecture != "arm" {
		return nil
	}
	value, _, _ := strings.Cut(of.Settings[n].Value, ",") // 7,hardfloat
	made := platform.Platform{OS: p.OS, Architecture: "arm", Variant: "v" + value}
	if host := (platform.Platform{OS: p.OS, Architecture: "arm", Variant: p.Variant}); !platform.Runs(host, made) {
		return fmt.Errorf("it was compiled with GOARM=%s, and the image is for %s", of.Settings[n].Value, host)
	}
	return nil
}

// misfit is the error about a program that does not fit the image that it gets into.
func misfit(e layer.Entry, err error) error {
	return fmt.Errorf("%s: %w: take the file that was built for it, "+
		"or name this one under allowOtherPlatforms if the image only contains it", e.Path, err)
}

// most is how many programs of another system one error names.
const most = 5

// checkPrograms returns the programs among the files that go into an image, and refuses those for
// another platform: a node would find them only when it starts them.
func checkPrograms(ctx context.Context, st *store.Store, i product.Image, p platform.Platform,
	entries []layer.Entry,
) (programs []layer.Entry, err error) {
	var errs []error
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.Type != layer.Regular || e.Content.Open == nil {
			continue
		}
		s, ok, err := system(ctx, st, e.Content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
		if !ok {
			continue
		}
		programs = append(programs, e)
		if err := executable.Fits(s, p); err != nil && !allowed(i.AllowOtherPlatforms, e.Path) {
			if damage := readAll(ctx, e.Content); damage != nil {
				return nil, fmt.Errorf("%s: %w", e.Path, damage)
			}
			errs = append(errs, misfit(e, err))
		}
	}
	if n := len(errs); n > most {
		errs = append(errs[:most], fmt.Errorf("and %d more programs that do not fit", n-most))
	}
	return programs, errors.Join(errs...)
}

// readAll reads a file to its end, where its reader reports damage, which makes its head
// meaningless.
func readAll(ctx context.Context, c layer.Content) error {
	r, err := c.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = io.Copy(io.Discard, progress.Reader(ctx, r, nil))
	return err
}

// system reads the head of a file. ok is false for a file that is not a program. One that was a
// program and has another head now is damaged.
func system(ctx context.Context, st *store.Store, c layer.Content) (s executable.System, ok bool, err error) {
	r, err := c.Open()
	if err != nil {
		return s, false, err
	}
	defer r.Close()
	if s, ok, err = executable.Read(r); err == nil && !ok && inventory.Known(st, c.Digest) {
		err = readAll(ctx, c)
	}
	return s, ok, err
}

// allowed reports whether a pattern names a file or a directory above it.
func allowed(patterns []string, file string) bool {
	for ; file != "/"; file = path.Dir(file) {
		for _, pattern := range patterns {
			if ok, err := path.Match(pattern, file); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// listPackages lists the packages of a distribution in an image. Those of an image on a stub are
// unknown.
func (c *content) listPackages(r containerfile.Result) error {
	files, ok := r.Files()
	if !ok {
		return nil
	}
	all, err := packages.List(files)
	if limit := (*tree.LimitError)(nil); errors.As(err, &limit) {
		c.notes = append(c.notes, "the packages of the base are not listed: "+limit.Error())
		return nil
	}
	if err != nil {
		return err
	}
	c.packages = all
	name, err := packages.Unread(files)
	if name != "" {
		c.notes = append(c.notes, unread(name))
	}
	return err
}

// unread is the note about packages that no SBOM lists.
func unread(database string) string {
	return "its packages are not listed: " + database + " is not read, only the databases of dpkg are"
}
