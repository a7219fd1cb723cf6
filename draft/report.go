package draft

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/howto"
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
	fmt.Fprintf(w, "wrote %s\n", filepath.Join(dir, product.File))
	for _, f := range d.files {
		fmt.Fprintf(w, "wrote %s\n", filepath.Join(dir, filepath.FromSlash(f.path)))
	}
	next := "release"
	if len(wrong) > 0 {
		next = "check"
	}
	_, err := fmt.Fprintf(w, "Next: %s\n", Command(next, dir))
	return err
}

// Command returns the command line for the product of a directory.
func Command(name, dir string) string {
	if dir == "." {
		return howto.Run(name)
	}
	return howto.Run(name + " -product=" + filepath.Join(dir, product.File))
}
