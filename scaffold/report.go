package scaffold

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/product"
)

// Report writes what was found and what was not, and the next command. wrong is what Settle
// returned. The error says that a release would be refused.
func (d *Draft) Report(w io.Writer, dir string, wrong []string) error {
	for _, f := range d.Found {
		fmt.Fprintln(w, "found "+f)
	}
	for _, h := range slices.Concat(d.Hand, d.left) {
		fmt.Fprintln(w, "left out "+h)
	}
	byImage := map[string][]string{}
	for _, e := range wrong {
		name := d.imageOf(e)
		byImage[name] = append(byImage[name], e)
	}
	images := 0
	for _, name := range sortedKeys(byImage) {
		head := "needs a hand:"
		if name != "" {
			images++
			head = "image " + name + " lacks what it needs:"
		}
		fmt.Fprintln(w, head)
		for _, e := range byImage[name] {
			fmt.Fprintln(w, "  "+strings.ReplaceAll(e, "\n", "\n  "))
		}
	}
	fmt.Fprintf(w, "wrote %s\n", filepath.Join(dir, product.File))
	if len(wrong) == 0 {
		_, err := fmt.Fprintf(w, "Next: %s\n", Command("release", dir))
		return err
	}
	fmt.Fprintf(w, "Next: change what is named above, or slipway.yaml, until this finds no mistakes: %s\n",
		Command("check", dir))
	if images == 0 {
		return errors.New("slipway.yaml is written, and a release would refuse it")
	}
	return fmt.Errorf("slipway.yaml is written, and %d of %d images lack what they need", images, len(d.images))
}

// imageOf returns the image that an error is about, "" if it is about none.
func (d *Draft) imageOf(fault string) string {
	for _, i := range d.images {
		if strings.HasPrefix(fault, "building image "+i.name+":") || strings.Contains(fault, "images["+i.name+"].") {
			return i.name
		}
	}
	return ""
}

// Command returns the command line for the product of a directory.
func Command(name, dir string) string {
	if dir == "." {
		return howto.Run(name)
	}
	return howto.Run(name + " -product=" + filepath.Join(dir, product.File))
}
