package lint

import (
	"context"
	"slices"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/workload"
)

// Rendered is a manifest, or what a chart makes in a case.
type Rendered struct {
	File
	Case string // of a chart; "" for its own values
}

// Render returns what a chart makes in each case.
func Render(ctx context.Context, c *chart.Chart, cases []chart.Case) (all []Rendered, err error) {
	for _, k := range cases {
		objects, err := c.Render(ctx, k.Options)
		if err != nil {
			return nil, inCase(err, k.Name)
		}
		all = append(all, Rendered{ChartFile(c.String(), objects), k.Name})
	}
	return all, nil
}

// CheckPods reports the images of pods that are not references, and the pods that may run where
// their images do not. images has the platforms by reference as the manifests write it; other
// references are not judged. hosts are the nodes of the cluster;
// without any, an image has to be for the pod's operating system and for a node that it selects.
func CheckPods(list []Rendered, images map[string][]platform.Platform, hosts []Host) ([]Finding, error) {
	k := &known{}
	for _, h := range hosts {
		k.nodes = append(k.nodes, h.Platform)
	}
	platform.Sort(k.nodes)
	k.nodes = slices.CompactFunc(k.nodes, platform.Same)
	var all []Finding
	for _, r := range list {
		m, err := read([]File{r.File})
		if err != nil {
			return nil, err
		}
		for _, p := range m.pods {
			for _, ref := range workload.References(p.spec) {
				found := m.findings(k.inPod(p, ref, images))
				for n := range found {
					found[n].Image, found[n].object = output.Line(ref.Image), -1 // there are several manifests
				}
				all = join(all, found, r.Case)
			}
		}
	}
	for n := range all {
		all[n].nameCases()
	}
	return all, nil
}

// inPod checks an image of a pod: that a runtime can read its reference, and runs it wherever the
// pod may land.
func (k *known) inPod(p *pod, ref workload.Reference, images map[string][]platform.Platform) []problem {
	at := p.place(ref.Path)
	if _, wrong := k.resolve(at, ref.Image, true); wrong.rule == "image-reference" || wrong.rule == "image-ko" {
		return []problem{wrong}
	}
	platforms, ok := images[ref.Image]
	if !ok || !ref.Runs {
		return nil
	}
	return k.everywhere(p, ref, lock.CatalogImage{Name: ref.Image, Platforms: platforms})
}
