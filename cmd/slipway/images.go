package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// images are those of a lock as a result to print; as JSON it is the lock itself.
type images struct{ *lock.Lock }

func (l images) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "IMAGE\tPLATFORM\tSIZE\tDIGEST")
	for _, i := range l.Images {
		name := i.Name
		if i.Repository != "" {
			name = i.Tagged()
		}
		fmt.Fprintf(t, "%s\t\t\t%s\n", name, i.Digest)
		for _, c := range i.Children {
			fmt.Fprintf(t, "\t%s\t%s\t%s\n", c.Platform, progress.Size(c.Content), c.Digest)
		}
	}
	return t.Flush()
}

// pullName is how an image of a lock is pulled from a registry at host that serves the store.
func pullName(host string, l *lock.Lock, i lock.Image) string {
	repository := i.Repository
	if l.Registry != "" && len(repository) > len(l.Registry) {
		repository = repository[len(l.Registry)+1:]
	}
	return host + "/" + repository + ":" + i.Tag
}
