package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// images is a printed table of images.
type images []imageRow

type imageRow struct {
	name     string
	digest   v1.Hash
	children []lock.Child
}

// builtImages returns the rows of images that have no name in a registry yet.
func builtImages(r *built.Result) (list images) {
	for _, i := range r.Images {
		list = append(list, imageRow{i.Name, i.Digest, i.Children})
	}
	return list
}

func lockImages(l *lock.Lock) (list images) {
	for _, i := range l.Images {
		list = append(list, imageRow{i.Tagged(), i.Digest, i.Children})
	}
	return list
}

func (list images) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tPLATFORM\tSIZE\tDIGEST")
	for _, i := range list {
		fmt.Fprintf(t, "%s\t\t\t%s\n", i.name, i.digest)
		for _, c := range i.children {
			fmt.Fprintf(t, "\t%s\t%s\t%s\n", c.Platform, progress.Size(c.LayerBytes), c.Digest)
		}
	}
	return t.Flush()
}

// pullName returns the name that pulls an image of a lock from a registry at
// host that serves the store.
func pullName(host string, i lock.Image) string {
	_, path, _ := strings.Cut(i.Tagged(), "/")
	return host + "/" + path
}
