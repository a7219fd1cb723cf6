package product

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

func (c *checker) airgap() {
	in := &c.in.Airgap
	if in.Images != "" {
		c.imageList(&in.Images)
	}
	c.first()
	names := c.collect("bundle", &in.Bundles, each(in.Bundles, func(b *bundleYAML) *string { return &b.Name }),
		fileForm)
	if len(names.list) == 0 && !names.open {
		c.out.Airgap.Bundles = defaultBundles(c.in.Name, c.out.Platforms)
		return
	}
	forEach(in.Bundles, func(b *bundleYAML) { c.out.Airgap.Bundles = append(c.out.Airgap.Bundles, c.bundle(b)) })
}

// first resolves firstImage. An image of images.txt may be named without its
// digest.
func (c *checker) first() {
	in := &c.in.Airgap
	all := names{
		kind: "image", list: slices.Clone(c.images.list),
		open: c.images.open || in.Images != "" && len(c.out.Airgap.Images) == 0,
	}
	c.out.Airgap.FirstImage = in.FirstImage
	for _, i := range c.out.Airgap.Images {
		name, _, _ := strings.Cut(i.Text, "@")
		all.list = append(all.list, name, i.Text)
		if in.FirstImage == name && !slices.Contains(c.images.list, name) {
			c.out.Airgap.FirstImage = i.Text
		}
	}
	c.refer(&in.FirstImage, all)
}

// defaultBundles are one for each platform, and one for all.
func defaultBundles(product string, platforms []platform.Platform) []Bundle {
	var all []Bundle
	for _, p := range platforms {
		all = append(all, Bundle{Name: product + "-images." + p.Slug(), Platform: p})
	}
	return append(all, Bundle{Name: product + "-images"})
}

func (c *checker) bundle(in *bundleYAML) Bundle {
	b := Bundle{Name: in.Name}
	p, ok := c.platform(&in.Platform, nil)
	if !ok {
		return b
	}
	b.Platform = p
	if same, ok := findPlatform(c.out.Platforms, p); ok {
		b.Platform = same
	} else if !c.partly() {
		c.Errorf(&in.Platform, "the release has no platform %s: use one of %s", in.Platform, formatAll(c.out.Platforms))
	}
	return b
}

// imageList reads images.txt; its path is relative to slipway.yaml.
func (c *checker) imageList(s *string) {
	full, why := c.stat(*s, isRegular, "file")
	if why != "" {
		c.Errorf(s, "%s", why)
		return
	}
	c.out.Airgap.ListFile = full
	shown := *s
	if !filepath.IsAbs(shown) {
		shown = filepath.Join(filepath.Dir(c.Name), shown)
	}
	b, err := yamlfile.ReadText(full, maxFile)
	if err != nil {
		c.Errorf(s, "reading %s: %v", *s, cause(err))
		return
	}
	if c.CheckText(shown, b, maxFile) {
		c.out.Airgap.Images, c.out.Airgap.Removed = parseImageList(&c.Errors, shown, filepath.ToSlash(*s), b)
	}
}

// cause returns the error of an operation on a file without the path.
func cause(err error) error {
	if p := (*fs.PathError)(nil); errors.As(err, &p) {
		return p.Err
	}
	return err
}

func exists(fs.FileInfo) bool { return true }

// dropBundles drops the bundles of platforms that are not among those selected.
func dropBundles(bundles []Bundle, to []platform.Platform) []Bundle {
	return slices.DeleteFunc(slices.Clone(bundles), func(b Bundle) bool {
		if b.Platform.IsZero() {
			return false
		}
		_, ok := findPlatform(to, b.Platform)
		return !ok
	})
}
