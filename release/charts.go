package release

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"text/tabwriter"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/build/program"
	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/store"
)

// AddCharts adds the charts that were made for a release to it.
func AddCharts(prepared *publish.Prepared, made []render.Chart) error {
	all, err := artifacts(prepared.Lock, made)
	if err != nil {
		return err
	}
	return prepared.AddCharts(all)
}

// artifacts packages charts with the time of the release.
func artifacts(l *lock.Lock, made []render.Chart) ([]*chart.Artifact, error) {
	var all []*chart.Artifact
	for _, c := range made {
		a, err := c.Artifact(l.Created, nil)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// WriteCharts writes the archives of the charts of l, which st has, to a directory.
func WriteCharts(st *store.Store, l *lock.Lock, dir string) error {
	for _, c := range l.Charts {
		open := func() (io.ReadCloser, error) { return st.Open(c.File.Digest) }
		if err := program.Copy(layer.Content{Digest: c.File.Digest, Size: c.File.Size, Open: open}, filepath.Join(dir, c.File.Name), disk.ModeFile); err != nil {
			return fmt.Errorf("writing %s: %w", c.File.Name, err)
		}
	}
	return nil
}

// charts lists the charts, and adds their names to those of the images. What keeps one from being
// made stands in the plan already.
func (pl *planner) charts(ctx context.Context) error {
	if len(pl.Selected) > 0 {
		return nil
	}
	for _, c := range pl.product.Charts {
		pl.Charts = append(pl.Charts, PlannedChart{c.Name, c.Version, c.Name + "-" + c.Version + ".tgz"})
	}
	if len(pl.Refused) > 0 {
		return nil
	}
	made, err := pl.found.memory.Charts(ctx, pl.product, pl.names)
	if err != nil {
		return hide(err, pl.names)
	}
	if pl.made, err = artifacts(pl.names, made); err != nil {
		return err
	}
	pl.names.Charts = publish.ChartNames(pl.product, pl.made)
	return nil
}

// expectedCharts returns what is known of the charts.
func (pl *planner) expectedCharts() []publish.Expected {
	var all []publish.Expected
	for _, a := range pl.made {
		e := publish.Expected{Annotations: a.Annotations, Stamp: imagetag.Stamp{Version: a.Version, Created: pl.names.Created}}
		if c, ok := pl.oldChart(a.Name); ok && pl.sameInputs() {
			e.Digests = map[string]v1.Hash{"": c.Digest}
		}
		all = append(all, e)
	}
	return all
}

// oldChart returns a chart of the last release.
func (pl *planner) oldChart(name string) (lock.Chart, bool) {
	if pl.old != nil {
		for _, c := range pl.old.Charts {
			if c.Name == name {
				return c, true
			}
		}
	}
	return lock.Chart{}, false
}

// Chart is a row of the table of charts.
type Chart struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Reference string   `json:"reference"` // repository@digest
	Names     []string `json:"names"`     // repository:tag, all of them, in all registries
	Digest    string   `json:"digest"`
	File      string   `json:"file"` // in dist/
}

func newChart(c lock.Chart) Chart {
	i := c.Image()
	return Chart{Name: c.Name, Version: c.Version, Reference: i.Reference(), Names: i.References(), Digest: c.Digest.String(), File: c.File.Name}
}

func (s *Summary) writeCharts(w io.Writer) error {
	if len(s.Charts) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "CHART\tVERSION\tDIGEST")
	for _, c := range s.Charts {
		output.Fprintf(t, "%s\t%s\t%s\n", c.Names[0], c.Version, c.Digest)
	}
	return t.Flush()
}
