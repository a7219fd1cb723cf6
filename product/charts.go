package product

import (
	"context"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Chart is a Helm chart that the release publishes.
type Chart struct {
	Template // where the chart is

	Name                string
	Version, AppVersion string // for its Chart.yaml
	// Repositories are its paths at each of Destinations, and for a snapshot; Elsewhere are
	// repositories, with their registries, at those of slipway.yaml that this run does not
	// publish to.
	Repositories, Elsewhere []string
	Tags, FloatingTags      []string
	Images                  []ChartImage // in the order of their paths
	// ImageAnnotations means that annotations list its images.
	ImageAnnotations bool
	// ReleaseName, Namespace and Values are what it is judged with, in each of the cases and
	// without; empty for the chart's name, default, and its own values only.
	ReleaseName, Namespace string
	Values                 map[string]any
	Cases                  []ChartCase
	NamePos                yamlfile.Pos
}

// ChartImage is an image of the product for a place in the values of a chart.
type ChartImage struct {
	Path  string // in the values: image.app, sidecars[0].image
	Image string // name of an Image
	Pos   yamlfile.Pos
}

// ChartCase is a set of values that a chart is judged with.
type ChartCase struct {
	Name       string
	Values     map[string]any
	ValuesFile string // in the chart's source; "" for none
	Pos        yamlfile.Pos
}

// defaultChartRepository keeps charts apart from images of the same name.
const defaultChartRepository = "{{.Product}}/charts/{{.Name}}"

// Chart returns the chart of that name.
func (p *Product) Chart(name string) Chart {
	return find(p.Charts, func(c Chart) bool { return c.Name == name })
}

func (c *checker) chart(in *chartYAML) {
	out := Chart{
		Name: in.Name, Template: c.inSource(&in.Source, &in.Path, "chart"), NamePos: c.Pos(&in.Name),
		ReleaseName: in.ReleaseName, Namespace: in.Namespace, Values: in.Values,
		ImageAnnotations: in.ImageAnnotations,
	}
	for _, path := range slices.Sorted(maps.Keys(in.Images)) {
		i := ChartImage{Path: path, Image: in.Images[path], Pos: c.Pos(yamlfile.Entry(&in.Images, path))}
		if why := c.images.unknown(i.Image); why != "" {
			c.At(i.Pos, "%s", why)
		}
		out.Images = append(out.Images, i)
	}
	c.collect("case", &in.Cases, each(in.Cases, func(k *caseYAML) *string { return &k.Name }), fileForm)
	for n := range in.Cases {
		k := &in.Cases[n]
		if k.ValuesFile != "" {
			c.inSource(&in.Source, &k.ValuesFile, "file of values")
		} else if len(k.Values) == 0 && k.Name != "" {
			c.Errorf(&k.Name, "case %s has no values: give it values or a valuesFile; "+
				"the chart's own values are judged without a case", k.Name)
		}
		out.Cases = append(out.Cases, ChartCase{k.Name, k.Values, k.ValuesFile, c.Pos(&k.Name)})
	}
	c.out.Charts = append(c.out.Charts, out)
}

// chartNames fills in the versions and names of all charts.
func (c *checker) chartNames(ctx context.Context, claims claims) {
	seen := map[string]bool{}
	for n := range c.in.Charts {
		in, out := &c.in.Charts[n], &c.out.Charts[n]
		if !imagename.IsPart(in.Name) || !imagename.IsPart(c.out.Name) || seen[in.Name] || c.out.Version == "" {
			continue // that has been reported
		}
		seen[in.Name] = true
		t := &nameTemplates{
			checker: c, what: "chart " + in.Name, source: in.Source, repository: &in.Repository,
			fields: c.nameFields(&Image{Name: in.Name, Version: c.out.Version, Source: in.Source}),
		}
		t.readRevision(ctx, slices.Concat([]string{in.Repository, in.Version, in.AppVersion}, in.Tags, in.FloatingTags))
		if out.Version, out.AppVersion = t.version(&in.Version), t.version(&in.AppVersion); out.Version == "" {
			continue
		}
		if v := withV(out.Version); !semver.IsValid(v) || strings.Count(strings.SplitN(v, "-", 2)[0], ".") < 2 {
			c.Errorf(given(&in.Version, &in.Name), "chart %s would have version %q, "+
				"and Helm takes semantic versions only: give it a version such as 1.2.3", in.Name, out.Version)
			continue
		}
		revision := t.fields.Revision // git may have reported it
		t.fields = c.nameFields(&Image{Name: in.Name, Version: out.Version, Source: in.Source})
		t.fields.Revision = revision
		t.fields.Version = imagename.ChartTag(out.Version)
		out.Repositories, out.Elsewhere = t.repositories(defaultChartRepository, nil)
		templates := in.Tags
		if !c.Given(&in.Tags) {
			templates = []string{defaultTag}
		}
		out.Tags, out.FloatingTags = t.tags(templates, false), t.tags(c.chartFloatingTags(out.Version, in), true)
		if tag := imagename.ChartTag(out.Version); len(out.Tags) == len(templates) && !slices.Contains(out.Tags, tag) {
			c.Errorf(&in.Tags, "chart %s has no tag %s, by which Helm finds it: add {{.Version}}", in.Name, tag)
		}
		for _, r := range out.Repositories {
			if r[strings.LastIndexByte(r, '/')+1:] != in.Name {
				c.Errorf(given(&in.Repository, &in.Name), "chart %s would be in repository %s, "+
					"and Helm finds it only where the last part is its name: end with /{{.Name}}", in.Name, r)
			}
		}
		claims.add(c, &in.Name, claim{
			what: t.what, repositories: out.Repositories, elsewhere: out.Elsewhere,
			tags: out.Tags, floating: out.FloatingTags,
		})
	}
}

// version evaluates the template of a version of a chart; without one it is that of the product.
func (t *nameTemplates) version(s *string) string {
	usual := defaultTag
	text, _ := t.expand(given(s, &usual), t.fields, imageFields)
	return text
}
