package assemble

import (
	"errors"

	"github.com/slipway-dev/slipway/containerfile"
	"github.com/slipway-dev/slipway/image/installed"
	"github.com/slipway-dev/slipway/image/tree"
)

// installed lists the packages of a distribution that an image has. An image on a stub has none
// that are known.
func (b *Builder) installed(c *content, r containerfile.Result) error {
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
	name, err := installed.Unread(files)
	if name != "" {
		c.notes = append(c.notes, unread(name))
	}
	return err
}

// unread is the note about packages that no SBOM lists.
func unread(database string) string {
	return "its packages are not listed: " + database + " is not read, only the databases of dpkg are"
}
