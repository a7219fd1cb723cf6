package containerfile

import (
	"errors"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/entrypoint"
)

// CheckLibraries reports shared libraries that programs of the image's own layers need and that
// the image does not have. known is that of [Result.CheckStart]: where the base's files are not
// known, only Windows programs are checked, against a table of DLLs that Microsoft's bases lack.
// It is an error if the program that the image starts cannot start without the library, and
// certain that it is missing; anything else is a note, such as a copied DLL that nothing uses.
// Libraries whose name matches a pattern of allow, in any case, are not reported.
func (r Result) CheckLibraries(known bool, allow []string) (notes []string, err error) {
	i := r.start.image
	l := entrypoint.Libraries{
		Image: i, Known: known && !i.Tree.Open, Base: baseName(r.Base, i.On), Gone: absent(r.Base, i.On), Allow: allow,
	}
	if i.Check || !l.Known && (l.Gone == nil || i.Tree.More) {
		return nil, nil
	}
	notes, fatal, err := l.CheckAll()
	if err != nil {
		return nil, err
	}
	report := &mistake.List{File: r.start.file, Source: r.start.source}
	for _, f := range fatal {
		report.Add(r.start.at, "", errors.New(f))
	}
	return notes, report.Err()
}
