package airgap

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/howto"
)

// WriteList writes the names of the images, one to a line: the form of images.txt, and of the
// list beside the bundle. With digests every name is pinned by its digest.
func (c *Contents) WriteList(w io.Writer, digests bool) error {
	for _, i := range c.Images {
		name := i.Name
		if digests {
			name += "@" + i.Digest.String()
		}
		if _, err := fmt.Fprintln(w, name); err != nil {
			return err
		}
	}
	return nil
}

// Find returns the image that ref names: by tag, by digest or by both, also in Docker Hub's short
// form.
func (c *Contents) Find(ref string) (Image, error) {
	base, digest, pinned := strings.Cut(ref, "@")
	named := strings.Contains(base[strings.LastIndex(base, "/")+1:], ":")
	at := slices.IndexFunc(c.Images, func(i Image) bool {
		tagged, reference, err := names(ref, i.Digest)
		return err == nil && (!pinned || digest == i.Digest.String()) && (tagged == i.Name || pinned && !named && reference == i.Reference)
	})
	if at < 0 {
		return Image{}, fmt.Errorf("%s is not in the bundle: %s tells what is", ref, howto.Run("airgap list"))
	}
	return c.Images[at], nil
}
