package draft

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/slipway-dev/slipway/product"
)

// Report writes what was found and what was not, and the next command. wrong is what Settle
// returned.
func (d *Draft) Report(w io.Writer, dir string, wrong []string) error {
	for _, f := range d.Found {
		fmt.Fprintln(w, "found "+f)
	}
	for _, h := range d.Hand {
		fmt.Fprintln(w, "left out "+h)
	}
	for _, e := range wrong {
		fmt.Fprintln(w, "needs a hand "+e)
	}
	file := filepath.Join(dir, product.File)
	fmt.Fprintf(w, "wrote %s\n", file)
	for _, f := range d.files {
		fmt.Fprintf(w, "wrote %s\n", filepath.Join(dir, filepath.FromSlash(f.path)))
	}
	next := "release"
	if len(wrong) > 0 {
		next = "check"
	}
	_, err := fmt.Fprintf(w, "Next: slipway %s -product=%s\n", next, file)
	return err
}
