package scaffold

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
)

// Report writes the found and the open facts, and the next command. wrong is the result of
// Settle. The error says that a release would be refused.
func (d *Draft) Report(w io.Writer, dir string, wrong []string) error {
	for _, f := range d.Found {
		fmt.Fprintln(w, "found "+f)
	}
	if unused := d.unused(); len(unused) > 0 {
		d.leave("main packages that no image has", "%s", listed(unused))
	}
	d.leaveFlags()
	for _, p := range slices.Sorted(slices.Values(d.tree.shut)) { // which are read in no order
		d.leave("what cannot be read, or is larger than a mebibyte", "%s", p)
	}
	for _, l := range d.left {
		fmt.Fprintf(w, "omitted: %s: %s\n", l.kind, listed(l.items))
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
			head = "image " + name + " lacks what it needs:"
			images++
		}
		fmt.Fprintln(w, head)
		for _, e := range byImage[name] {
			fmt.Fprintln(w, "  "+strings.ReplaceAll(e, "\n", "\n  "))
		}
	}
	if len(d.Questions) > 0 {
		fmt.Fprintln(w, "to decide, by taking the entry out of undecided:")
	}
	for _, q := range d.Questions {
		fmt.Fprintf(w, "  %s:%d: %s: %s\n", product.File, q.line, output.Line(q.Key), output.Line(q.What))
		for _, c := range q.Candidates {
			where := ""
			if len(c.Seen) > 0 {
				where = "  (" + strings.Join(c.Seen, ", ") + ")"
			}
			fmt.Fprintln(w, "    "+output.Line(c.Value+where))
		}
	}
	fmt.Fprintf(w, "wrote %s\n", filepath.Join(dir, product.File))
	if len(wrong)+len(d.Questions) == 0 {
		_, err := fmt.Fprintf(w, "Next: %s\n", Command("release", dir))
		return err
	}
	fmt.Fprintf(w, "Next: correct the places above, or slipway.yaml, until this finds no mistakes: %s\n",
		Command("check", dir))
	if images == 0 {
		return errors.New("slipway.yaml is written, and a release would refuse it")
	}
	return fmt.Errorf("slipway.yaml is written, and %d of %d images lack what they need", images, len(d.images))
}

// imageOf returns the image that an error is about, "" if it is about none.
func (d *Draft) imageOf(fault string) string {
	for _, i := range d.images {
		if strings.HasPrefix(fault, "building image "+i.name+":") || strings.Contains(fault, ": images["+i.name+"]: ") {
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
