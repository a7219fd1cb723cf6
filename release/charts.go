package release

import (
	"context"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/render"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/store"
)

// AddCharts adds the charts that were made for a release to it.
func AddCharts(prepared *publish.Prepared, made []render.Chart) error {
	all, err := packaged(prepared.Lock, made)
	if err != nil {
		return err
	}
	return prepared.AddCharts(all)
}

// packaged packages charts with the time of the release.
func packaged(l *lock.Lock, made []render.Chart) ([]*chart.Artifact, error) {
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
		if err := writeBlob(st, c.File.Digest, dir, c.File.Name); err != nil {
			return err
		}
	}
	return nil
}

// charts lists the charts, and adds their names to those of the images. If the plan is refused
// already, no chart is made.
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
	if pl.made, err = packaged(pl.names, made); err != nil {
		return err
	}
	pl.names.Charts = publish.ChartNames(pl.product, pl.made)
	return nil
}

// expectedCharts returns the annotations, versions and earlier digests of the charts.
func (pl *planner) expectedCharts() []publish.Expected {
	var all []publish.Expected
	for _, a := range pl.made {
		e := publish.Expected{
			Annotations: a.Annotations,
			Stamp:       imagetag.Stamp{Version: a.Version, Created: pl.names.Created},
		}
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
