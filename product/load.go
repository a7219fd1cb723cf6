package product

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Options select a product and the parts of it to load. The zero value is all of slipway.yaml in
// the current directory.
type Options struct {
	Path string // of slipway.yaml; "" is slipway.yaml
	// Registries are host[/prefix], names of destinations, or "all" for all of these; none means
	// those of the environment variable SLIPWAY_REGISTRY, which commas separate, and a snapshot if
	// that is empty.
	Registries []string
	// Version is that of the run, or "git"; "" means the environment variable SLIPWAY_VERSION, and
	// if that is empty, the version in slipway.yaml.
	Version string
	// VersionFrom is where Version comes from, for messages; "" is -version.
	VersionFrom string
	// Channel names a channel of slipway.yaml; "" means the only one for versions of this kind, if
	// there is one.
	Channel string
	// Floating is a rule of package imagetag for floating tags.
	Floating string
	// Referrers says which referrers of images the registries need not get.
	Referrers oci.ReferrerRule
	// Platforms and Images restrict the product to platforms (linux and windows mean all of
	// theirs) and to images by name.
	Platforms, Images []string
	// Share restricts the product to some platforms of each image and artifact.
	Share *Share
	// Repositories are clones of the repositories of module sources, as NAME=DIRECTORY.
	Repositories []string
	// Made are files and directories that Slipway writes, in this run or before it: store,
	// output, plan and parts. [Product.MadeIn] excludes them.
	Made []string
	// Rebuild is for reproducing a release: what it has counts, and not the environment and git.
	Rebuild *Rebuild
	// Bases loads the product to renew the lock files and other pins: without a registry,
	// whatever git reports about the version, and whatever the lock files have wrong. Images have
	// their repositories at all destinations of slipway.yaml.
	Bases bool
	// Only looks at the product: that it is not committed is among the [Product.Demands] for a
	// registry, too, so that it hides no other mistake.
	Only bool
}

// Undescribed returns what the options and the environment alone state about a product, for a
// directory without slipway.yaml: the registries.
func Undescribed(o Options) (*Product, error) {
	c := &checker{Document: &yamlfile.Document{Name: File}, in: &productYAML{}, out: &Product{Path: o.Path}}
	c.destinations(o.Registries, os.Getenv)
	return c.out, c.Err()
}

// absent returns the error for a slipway.yaml that does not exist.
func absent(path string) error {
	const find = "name the product's description with -product, or change to its directory"
	if filepath.Base(path) != File {
		return fmt.Errorf("%s is not there: %s", path, find)
	}
	write := howto.Run("init")
	if dir := filepath.Dir(path); dir != "." {
		write = howto.Run("init " + dir)
	}
	return fmt.Errorf("%s is not there: run %s to write one, or %s", path, write, find)
}

// Load reads slipway.yaml, images.txt, the lock files and the environment variables
// SLIPWAY_REGISTRY, SLIPWAY_VERSION and SOURCE_DATE_EPOCH, and asks git where that decides the
// version. The error joins everything that is wrong with them, sorted by position; each is one
// line, "file:line:column: mistake: remedy".
func Load(ctx context.Context, o Options) (*Product, error) {
	o.Path = cmp.Or(o.Path, File)
	dir, err := filepath.Abs(filepath.Dir(o.Path))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", o.Path, err)
	}
	stamps := stampFiles(o.Path, dir)
	b, err := yamlfile.ReadText(o.Path, maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent(o.Path)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w: name the file slipway.yaml itself with -product", o.Path, cause(err))
	}
	c := newChecker(o.Path, dir, b)
	c.out.stamps = stamps
	c.rebuild = o.Rebuild
	getenv := o.Share.environment(o.Rebuild.environment())
	if apiVersion(c.Document, &c.in.APIVersion) {
		return nil, c.Err()
	}
	if err := c.made(ctx, o.Made); err != nil {
		return nil, fmt.Errorf("reading %s: %w", o.Path, err)
	}
	c.version(ctx, o, getenv)
	c.check()
	if len(c.imagePaths) > 0 && c.rebuild == nil { // which has of them what git had
		c.out.untracked = append(c.out.untracked, untracked(ctx, c.root(), c.imagePaths...)...)
	}
	if o.Bases {
		c.everyDestination()
		c.out.Registry = ""
	} else {
		c.destinations(o.Registries, getenv)
	}
	c.environment(getenv)
	c.floating(o.Floating)
	c.out.Referrers = o.Referrers
	c.committed(o.Only)
	c.clones(o.Repositories)
	c.imageNames(ctx)
	if o.Bases {
		c.out.Destinations = nil
	}
	if err := c.lockFiles(o.Bases); err != nil {
		return nil, err
	}
	if o.Share != nil && len(c.Errors) == 0 {
		c.share(o.Share)
	} else {
		c.restrict(o)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	for _, d := range c.demands.Sorted() {
		c.out.Demands = append(c.out.Demands, d.Error())
	}
	return c.out, nil
}

// stampFiles returns what slipway.yaml and the lock files next to it are before they are read.
func stampFiles(path, dir string) map[string]string {
	stamps := map[string]string{}
	for _, name := range []string{filepath.Base(path), BasesLock, ImagesLock} {
		full := filepath.Join(dir, name)
		if fi, err := os.Stat(full); err == nil {
			stamps[full] = disk.Stamp(fi)
		}
	}
	return stamps
}

// Changed returns a file that was written since [Load] read it, by its [disk.Stamp]
// now; "" for none.
func (p *Product) Changed(now func(path string) string) string {
	for path, then := range p.stamps {
		if is := now(path); is != "" && is != then {
			return path
		}
	}
	return ""
}
