package chart

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"
	"text/template"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/slipway-dev/slipway/internal/output"
)

// KubeVersion is the version of Kubernetes that charts are rendered for, as by Helm.
const KubeVersion = "v1.37.0"

// Options are settings of [Chart.Render], as those of "helm template".
type Options struct {
	Release   string         // the chart's name if empty
	Namespace string         // default if empty
	Values    map[string]any // those that replace the chart's
}

// Render returns the objects of a chart: those of its CRDs, then those of its templates, by path.
// NOTES.txt is not rendered. Two renderings must not differ, as they do with random secrets and
// the time. A chart that was rendered with the same options is not rendered again; the caller
// changes no object.
func (c *Chart) Render(ctx context.Context, o Options) ([]Object, error) {
	c.known.mu.Lock()
	defer c.known.mu.Unlock()
	for _, k := range c.known.all {
		if reflect.DeepEqual(k.options, o) {
			return slices.Clone(k.objects), nil
		}
	}
	copied := o
	if o.Values != nil {
		copied.Values = copyValues(o.Values)
	}
	objects, err := c.objects(ctx, o)
	if err != nil {
		return nil, err
	}
	c.known.all = append(c.known.all, knownObjects{copied, objects})
	return slices.Clone(objects), nil
}

// known remembers what a chart was rendered to.
type known struct {
	mu  sync.Mutex
	all []knownObjects
}

type knownObjects struct {
	options Options
	objects []Object
}

func (c *Chart) objectsHere(o Options) ([]Object, error) {
	ctx := context.Background() // of a process that ends with its question
	plain, err := c.render(ctx, o, rendering{})
	if err != nil {
		return nil, err
	}
	lines, err := c.lines(ctx, o, plain)
	if err != nil {
		return nil, err
	}
	objects := c.crds(plain)
	for _, t := range plain.templates {
		objects = append(objects, documents(t.file.Path, t.Text, lines[t.Name])...)
	}
	return objects, nil
}

// rendering is how a rendering differs from that of Helm.
type rendering struct {
	Later     bool // the time is another one
	Fixed     bool // the time and random values are always the same
	Unchecked bool // the values are not checked by schemas
	Uses      bool // the references of images are listed
	// mark changes the text of a template; nil leaves it
	mark func(index int, f file) string
}

// rendered is what Helm's engine made.
type rendered struct {
	templates []renderedTemplate // sorted by path
	chart     *helm.Chart
}

// renderedTemplate is the text that a template made. A subchart with two names has two of each.
type renderedTemplate struct {
	Name  string // that Helm knows: chart/templates/app.yaml
	file  file
	Index int // of the file in the chart
	Text  string
	Uses  []use
}

// renderHere calls Helm's engine.
func (c *Chart) renderHere(o Options, r rendering) (*rendered, error) {
	loaded, err := c.helm()
	if err != nil {
		return nil, err
	}
	values, err := c.values(loaded, o, r.Unchecked)
	if err != nil {
		return nil, err
	}
	names := map[string]int{}
	c.index(loaded, names, r.mark, map[*common.File]bool{})
	e := engine.Engine{CustomTemplateFuncs: template.FuncMap{}}
	switch {
	case r.Fixed:
		e.CustomTemplateFuncs = maps.Clone(fixed)
	case r.Later:
		e.CustomTemplateFuncs = template.FuncMap{"now": func() time.Time {
			return time.Now().AddDate(3, 2, 1).Add(4 * time.Hour)
		}}
	}
	e.CustomTemplateFuncs[beginFunc] = c.begin
	made, err := e.RenderWithContext(context.Background(), loaded, values)
	if err != nil {
		return nil, c.failure(err, names)
	}
	out := &rendered{chart: loaded}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if path.Base(name) == "NOTES.txt" {
			continue
		}
		i := names[name]
		out.templates = append(out.templates,
			renderedTemplate{Name: name, file: c.files[i], Index: i, Text: made[name]})
	}
	return out, nil
}

// values returns what the templates get, and decides which subcharts are enabled.
func (c *Chart) values(loaded *helm.Chart, o Options, unchecked bool) (common.Values, error) {
	kube, err := common.ParseKubeVersion(KubeVersion)
	if err != nil {
		return nil, err
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *kube
	if need := loaded.Metadata.KubeVersion; need != "" && !util.IsCompatibleRange(need, caps.KubeVersion.String()) {
		return nil, fmt.Errorf("%s: the chart is for Kubernetes %s, not %s: correct kubeVersion",
			path.Join(c.shown, chartFile), output.Line(need), caps.KubeVersion.String())
	}
	values := copyValues(o.Values)
	if err := util.ProcessDependencies(loaded, values); err != nil {
		return nil, fmt.Errorf("chart %s: %s", c.shown, output.Line(err.Error()))
	}
	release := common.ReleaseOptions{
		Name: cmp.Or(o.Release, c.Name()), Namespace: cmp.Or(o.Namespace, "default"), Revision: 1, IsInstall: true,
	}
	top, err := commonutil.ToRenderValuesWithSchemaValidation(loaded, values, release, caps, true)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %s", c.shown, output.Line(err.Error()))
	}
	if unchecked {
		return top, nil
	}
	all, _ := top["Values"].(common.Values)
	return top, c.checkSchemas(loaded, all)
}

// index adds the files of all templates by the names that Helm's engine gives them, and marks them.
func (c *Chart) index(loaded *helm.Chart, names map[string]int, mark func(int, file) string,
	done map[*common.File]bool,
) {
	for _, t := range loaded.Templates {
		i := int(t.ModTime.Unix())
		names[path.Join(loaded.ChartFullPath(), t.Name)] = i
		if done[t] { // charts of two names share templates
			continue
		}
		done[t] = true
		if mark != nil {
			t.Data = []byte(mark(i, c.files[i]))
		}
		if !strings.HasPrefix(path.Base(t.Name), "_") { // which Helm does not render by itself
			t.Data = slices.Concat(beginCall(i), t.Data)
		}
	}
	for _, sub := range loaded.Dependencies() {
		c.index(sub, names, mark, done)
	}
}

// crds returns the objects of the directories crds.
func (c *Chart) crds(r *rendered) []Object {
	var all []Object
	done := map[int64]bool{}
	for _, crd := range r.chart.CRDObjects() {
		i := crd.File.ModTime.Unix()
		if done[i] { // of a subchart with two names; Helm installs it once
			continue
		}
		done[i] = true
		f := c.files[i]
		lines := make([]string, 1+strings.Count(string(f.Data), "\n"))
		for i := range lines {
			lines[i] = fmt.Sprintf("%s:%d", f.Shown, i+1)
		}
		for _, o := range documents(f.Path, string(f.Data), lines) {
			o.CRD = true
			all = append(all, o)
		}
	}
	return all
}

// copyValues copies values, since Helm changes those that it gets.
func copyValues(values map[string]any) map[string]any {
	out, _ := mapScalars(values, func(v any) any { return v }).(map[string]any)
	return out
}

// mapScalars copies a value with other scalars.
func mapScalars(v any, other func(any) any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = mapScalars(v[k], other)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = mapScalars(v[i], other)
		}
		return out
	}
	return other(v)
}
