package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/built"
	"github.com/slipway-dev/slipway/internal/plainjson"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// images is a printed table of images.
type images []imageRow

// stageResult is what a stage has made: a table of images, or as JSON the file that it has written.
type stageResult struct {
	images
	file any
}

// MarshalJSON encodes the file.
func (r stageResult) MarshalJSON() ([]byte, error) { return plainjson.Line(r.file) }

type imageRow struct {
	name     string
	also     []string // its other names
	digest   v1.Hash
	children []lock.Child
}

// builtImages returns the rows of images that have no name in a registry yet.
func builtImages(r *built.Result) (list images) {
	for _, i := range r.Images {
		list = append(list, imageRow{i.Name, nil, i.Digest, i.Children})
	}
	return list
}

// partImages returns the rows of a part, whose manifests have no names and no index yet.
func partImages(p *lock.Part) (list images) {
	for _, i := range p.Images {
		list = append(list, imageRow{i.Name, nil, v1.Hash{}, i.Children})
	}
	return list
}

func lockImages(l *lock.Lock) (list images) {
	for _, i := range l.Published() {
		row := imageRow{i.Tagged(), nil, i.Digest, i.Children}
		for _, name := range i.References() {
			if name != row.name {
				row.also = append(row.also, name)
			}
		}
		list = append(list, row)
	}
	return list
}

func (list images) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tPLATFORM\tSIZE\tDIGEST")
	for _, i := range list {
		digest := ""
		if i.digest != (v1.Hash{}) {
			digest = i.digest.String()
		}
		fmt.Fprintf(t, "%s\t\t\t%s\n", i.name, digest)
		for _, name := range i.also {
			fmt.Fprintf(t, "%s\t\t\t\n", name)
		}
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
