package audit

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/render/chart"
)

// OCI is how Helm begins the name of a chart in a registry
// (https://helm.sh/docs/topics/registries/).
const OCI = "oci://"

// maxChart bounds the archive of a chart in a registry, in bytes.
const maxChart = 64 << 20

// loaded reads the images that a chart on this machine renders.
func (r Reader) loaded(ctx context.Context, path string) ([]lint.Index, []lint.Finding, error) {
	c, err := chart.Load(chart.Locate(path))
	if err != nil {
		return nil, nil, err
	}
	return r.chart(ctx, c)
}

// pulled reads the images that a chart in a registry renders: oci://REGISTRY/CHART:VERSION.
func (r Reader) pulled(ctx context.Context, arg string) ([]lint.Index, []lint.Finding, error) {
	ref, err := name.ParseReference(imagename.ChartTag(strings.TrimPrefix(arg, OCI)), name.StrictValidation)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: write oci://REGISTRY/CHART:VERSION, or @sha256:… in place of the version", arg)
	}
	top, err := r.top(ctx, ref)
	switch {
	case outcome.Of(err) == outcome.Absent:
		return nil, nil, fmt.Errorf("%s is not in its registry: correct the name or the version", arg)
	case err != nil:
		return nil, nil, fmt.Errorf("reading %s: %w", arg, network.Clean(err))
	}
	layer, err := chartLayer(arg, top.Descriptor, top.Manifest)
	if err != nil {
		return nil, nil, err
	}
	archive, err := r.Client.Stream(ctx, ref.Context(), layer)
	if err != nil {
		return nil, nil, err
	}
	defer archive.Close()
	c, wrong := chart.Read(arg, archive)
	// The digest is compared at the end, behind which an archive of a chart may go on.
	if _, err := io.Copy(io.Discard, archive); err != nil {
		return nil, nil, err
	}
	if wrong != nil {
		return nil, nil, wrong
	}
	return r.chart(ctx, c)
}

// chartLayer returns the archive that the manifest of a chart lists.
func chartLayer(arg string, d v1.Descriptor, raw []byte) (v1.Descriptor, error) {
	t, err := oci.Parse(d, raw)
	if err != nil {
		return v1.Descriptor{}, fmt.Errorf("%s: %w", arg, err)
	}
	if t.Config == nil || t.Config.MediaType != chart.ConfigType {
		what := t.ArtifactType()
		if t.Desc.MediaType.IsIndex() || t.Config != nil && t.Config.MediaType.IsConfig() {
			what = "an image"
		}
		return v1.Descriptor{}, fmt.Errorf("%s is not a chart but %s; name an image without %s", arg, output.Line(what),
			OCI)
	}
	for _, l := range t.Layers {
		if l.MediaType != chart.LayerType {
			continue // its provenance
		}
		if l.Size > maxChart {
			return v1.Descriptor{}, fmt.Errorf("%s: %w", arg, oci.TooLarge("archive", l, maxChart))
		}
		return l, nil
	}
	return v1.Descriptor{}, fmt.Errorf("%s: its manifest lists no layer of type %s: push the chart again", arg,
		chart.LayerType)
}

// chart reads the images that a chart renders, with its values and in each case.
func (r Reader) chart(ctx context.Context, c *chart.Chart) ([]lint.Index, []lint.Finding, error) {
	cases, err := r.cases()
	if err != nil {
		return nil, nil, err
	}
	made, err := lint.Render(ctx, c, cases)
	if err != nil {
		return nil, nil, err
	}
	all, found, err := r.rendered(ctx, made, c.Name())
	if err != nil {
		return nil, nil, err
	}
	var refs []string
	for _, i := range all {
		refs = append(refs, i.Name)
	}
	return all, append(found, lint.CheckListed(c, refs)...), nil
}
