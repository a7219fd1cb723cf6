package product

import (
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

func (c *checker) airgap() {
	in := &c.in.Airgap
	args := c.listArgs()
	if in.Images != "" {
		full, shown, b := c.imageList(&in.Images)
		c.out.Airgap.ListFile = full
		if b != nil {
			a := &c.out.Airgap
			a.Images, a.Removed = parseImageList(&c.Errors, shown, filepath.ToSlash(in.Images), b, args)
		}
	}
	c.first()
	c.bundleFormats()
	c.groups(args)
	c.bundles()
}

// listArgs returns the values of ${NAME} in files of references.
func (c *checker) listArgs() map[string]string {
	in := c.in.Airgap.Args
	all := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		at := yamlfile.Entry(&c.in.Airgap.Args, name)
		value, err := expand(in[name], struct{ Version string }{c.out.Version}, releaseFields, nil)
		switch {
		case err != nil:
			c.Errorf(at, "%v", err)
		case strings.ContainsAny(value, "$ \t\r\n"):
			c.Errorf(at, "the value of ${%s} is part of one reference: write it without spaces and $", name)
		}
		all[name] = value
	}
	return all
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

// imageList reads a file of references, whose path is relative to slipway.yaml, and returns its
// absolute path, what messages call it, and its bytes; nil where these cannot be parsed.
func (c *checker) imageList(s *string) (full, shown string, b []byte) {
	full, why := c.stat(*s, isRegular, "file")
	if why != "" {
		c.Errorf(s, "%s", why)
		return "", "", nil
	}
	shown = *s
	if !filepath.IsAbs(shown) {
		shown = filepath.Join(filepath.Dir(c.Name), shown)
	}
	b, err := yamlfile.ReadText(full, maxFile)
	if err != nil {
		c.Errorf(s, "reading %s: %v", *s, cause(err))
		return full, shown, nil
	}
	if !c.CheckText(shown, b, maxFile) {
		return full, shown, nil
	}
	if b == nil {
		b = []byte{}
	}
	return full, shown, b
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
