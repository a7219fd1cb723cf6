package bundle

import (
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/internal/progress"
)

// WriteTable writes a line about a bundle that was made.
func (f *File) WriteTable(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %d images, %s, sha256 %s\n", f.Path, len(f.Contents.Images), progress.Size(f.Size),
		f.SHA256)
	return err
}

// WriteTable writes what was extracted, and where to.
func (x *Extracted) WriteTable(w io.Writer) error {
	what := x.Name
	if !x.Platform.IsZero() {
		what += " for " + x.Platform.String()
	}
	if x.Referrers > 0 {
		what += fmt.Sprintf(" and %d referrers", x.Referrers)
	}
	_, err := fmt.Fprintf(w, "%s: %s of %s, %s\n", x.Path, x.Format, what, x.Digest)
	return err
}

// OpenAll opens bundles and deltas. The caller calls the function that is returned.
func OpenAll(paths []string) (all []*Bundle, closeAll func(), err error) {
	closeAll = func() {
		for _, b := range all {
			b.Close()
		}
	}
	for _, path := range paths {
		b, err := OpenAny(path)
		if err != nil {
			closeAll()
			return nil, func() {}, err
		}
		all = append(all, b)
	}
	return all, closeAll, nil
}
