package airgap

import (
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/transfer"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// reference is one that was renamed.
type reference struct {
	text string
	pin  transfer.Pin
}

// rename replaces every scalar of src that is a reference to an image of the bundle by its new
// name, in place: comments, order and formatting are those of src. path is for messages. The
// error has all references to images that the bundle lacks.
func rename(path string, src []byte, to *renamer) (*release, error) {
	e, err := yamlfile.Edit(path, src)
	if err != nil {
		return nil, err
	}
	r := &release{}
	pins := map[string]bool{}
	var errs yamlfile.Errors
	for n, s := range e.Scalars {
		text := strings.TrimSpace(s.Value)
		if text != s.Value && !s.Block || !s.String {
			text = "" // no reference has spaces, or is a number
		}
		ref, err := to.reference(text, s.Field == "image")
		switch {
		case err != nil:
			errs.At(s.Pos, "%s", err)
			continue
		case ref == nil:
			if have := to.within(s.Value); have != "" {
				r.Untouched = append(r.Untouched, fmt.Sprintf("%s: text with %s in it", s.Pos, have))
			}
			continue
		}
		if err := e.Replace(n, text, ref.text); err != nil {
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
			r.pins = append(r.pins, ref.pin)
		}
	}
	if err := errs.Err(); err != nil {
		return nil, err
	}
	r.bytes, err = e.Bytes()
	return r, err
}
