// Package renaming gives image references in a release.yaml the names that the images have in
// another registry.
//
// [Names] has the old and new names of images. [Names.Read] reads a file and renames in place:
// comments, order and formatting stay. [Release.Write] writes the result once every reference in
// it can be pulled.
package renaming

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// reference is one that was renamed.
type reference struct {
	text string
	pin  transfer.Pin
}

// Rename replaces every scalar of src that is a reference to an image of n by its new name. path is
// for messages. The error has all references for which n.Unknown returns one.
func (n *Names) Rename(path string, src []byte) (*Release, error) {
	e, err := yamlfile.Edit(path, src)
	if err != nil {
		return nil, err
	}
	r := &Release{}
	pins := map[string]bool{}
	var errs yamlfile.Errors
	r.object = len(e.Scalars) == 0
	for at, s := range e.Scalars {
		r.object = r.object || s.Field == "apiVersion"
		text := strings.TrimSpace(s.Value)
		if text != s.Value && !s.Block || !s.String {
			text = "" // no reference has spaces, or is a number
		}
		ref, err := n.reference(text, s.Field == "image")
		switch {
		case err != nil:
			errs.At(s.Pos, "%s", err)
			continue
		case ref == nil:
			if have := n.within(s.Value); have != "" {
				r.Untouched = append(r.Untouched, fmt.Sprintf("%s: text with %s in it", s.Pos, have))
			}
			continue
		}
		if err := e.Replace(at, text, ref.text); err != nil {
			var one *yamlfile.Error
			if !errors.As(err, &one) {
				return nil, err
			}
			errs = append(errs, one)
			continue
		}
		r.References++
		if !pins[ref.pin.Ref.Name()] {
			pins[ref.pin.Ref.Name()] = true
			r.Pins = append(r.Pins, ref.pin)
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	r.Text, err = e.Bytes()
	return r, err
}
