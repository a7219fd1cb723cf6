package render

import (
	"context"
	"slices"

	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/workload"
)

// list writes the images that the chart renders in all cases into its annotations. find pins those
// that are there before.
func (c *Chart) list(ctx context.Context, find func(string) *chart.Image) error {
	var images []string
	for _, k := range c.Cases {
		objects, err := c.Render(ctx, k.Options)
		if err != nil {
			return err
		}
		named, err := imagesIn(objects)
		if err != nil {
			return err
		}
		images = append(images, named...)
	}
	slices.Sort(images)
	pin := func(reference string) string {
		if i := find(reference); i != nil {
			return i.Reference()
		}
		return reference
	}
	listed, err := c.WithListed(slices.Compact(images), pin)
	if err == nil {
		c.Chart = listed
	}
	return err
}

// imagesIn returns what fields of images have in the objects of a chart.
func imagesIn(rendered []chart.Object) (all []string, err error) {
	var objects []workload.Object
	for _, o := range rendered {
		read, err := workload.Read(o.Template, o.Text)
		if err != nil {
			return nil, err
		}
		objects = append(objects, read...)
	}
	workload.LinkValues(objects)
	for _, o := range objects {
		o.Texts(func(t workload.Text) {
			if t.Value != "" && !o.IsIncomplete(t.Value) &&
				workload.IsImageField(o.APIVersion, o.Kind, t.Keys, t.Value) {
				all = append(all, t.Value)
			}
		})
		o.Composed(func(c workload.Composed) {
			if c.Reference != "" {
				all = append(all, c.Reference)
			}
		})
	}
	return all, nil
}
