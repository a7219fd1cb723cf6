package product

import "slices"

// The forms of a bundle.
const (
	formatZstd = "zst"
	formatGzip = "gz"
)

// bundleFormats checks the forms of bundles. The .tar.zst is never omitted, since only it can be
// read from any place on.
func (c *checker) bundleFormats() {
	in := c.in.Airgap.Formats
	c.once(in)
	if len(in) > 0 && !slices.Contains(in, formatZstd) {
		c.Errorf(&c.in.Airgap.Formats[0], "bundles need %s, from which every command reads: use [%s, %s]",
			formatZstd, formatZstd, formatGzip)
	}
	c.out.Airgap.Gzip = slices.Contains(in, formatGzip)
}
