package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"text/template"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	helm "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/render/chart"
)

// request is a chart that is rendered.
type request struct {
	chart.Request

	names map[string]int // the indexes of files by the names that Helm's engine gives templates
}

// Render calls Helm's engine. NOTES.txt is not rendered.
func (helmEngine) Render(r chart.Request) (chart.Made, error) {
	loaded, err := load(r.Shown, r.Files)
	if err != nil {
		return chart.Made{}, err
	}
	q := request{r, map[string]int{}}
	values, err := q.values(loaded)
	if err != nil {
		return chart.Made{}, err
	}
	q.index(loaded, map[*common.File]bool{})
	e := engine.Engine{CustomTemplateFuncs: template.FuncMap{}}
	switch {
	case q.Fixed:
		e.CustomTemplateFuncs = maps.Clone(fixed)
	case q.Later:
		e.CustomTemplateFuncs = template.FuncMap{"now": func() time.Time {
			return time.Now().AddDate(3, 2, 1).Add(4 * time.Hour)
		}}
	}
	e.CustomTemplateFuncs[beginFunc] = q.begin
	made, err := e.RenderWithContext(context.Background(), loaded, values)
	if err != nil {
		return chart.Made{}, q.failure(err)
	}
	out := chart.Made{CRDs: crds(loaded)}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if path.Base(name) == "NOTES.txt" {
			continue
		}
		out.Templates = append(out.Templates, chart.Template{Name: name, Index: q.names[name], Text: made[name]})
	}
	return out, nil
}

// values returns what the templates get, and decides which subcharts are enabled.
func (q request) values(loaded *helm.Chart) (common.Values, error) {
	kube, err := common.ParseKubeVersion(chart.KubeVersion)
	if err != nil {
		return nil, err
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *kube
	if need := loaded.Metadata.KubeVersion; need != "" && !util.IsCompatibleRange(need, caps.KubeVersion.String()) {
		return nil, fmt.Errorf("%s: the chart is for Kubernetes %s, not %s: correct kubeVersion",
			path.Join(q.Shown, "Chart.yaml"), output.Line(need), caps.KubeVersion.String())
	}
	o, values := q.Options, q.Options.Values
	if err := util.ProcessDependencies(loaded, values); err != nil {
		return nil, fmt.Errorf("chart %s: %s", q.Shown, output.Line(err.Error()))
	}
	release := common.ReleaseOptions{
		Name: cmp.Or(o.Release, loaded.Name()), Namespace: cmp.Or(o.Namespace, "default"), Revision: 1, IsInstall: true,
	}
	top, err := commonutil.ToRenderValuesWithSchemaValidation(loaded, values, release, caps, true)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %s", q.Shown, output.Line(err.Error()))
	}
	if q.Unchecked {
		return top, nil
	}
	all, _ := top["Values"].(common.Values)
	return top, q.checkSchemas(loaded, all)
}

// index adds the files of all templates by the names that Helm's engine gives them, and marks them.
func (q request) index(loaded *helm.Chart, done map[*common.File]bool) {
	for _, t := range loaded.Templates {
		i := int(t.ModTime.Unix())
		q.names[path.Join(loaded.ChartFullPath(), t.Name)] = i
		if done[t] { // charts of two names share templates
			continue
		}
		done[t] = true
		if q.Text != nil {
			t.Data = []byte(q.Text(i))
		}
		if !strings.HasPrefix(path.Base(t.Name), "_") { // which Helm does not render by itself
			t.Data = slices.Concat(beginCall(i), t.Data)
		}
	}
	for _, sub := range loaded.Dependencies() {
		q.index(sub, done)
	}
}

// crds returns the indexes of the files in directories crds, each once: Helm installs that of a
// subchart with two names once.
func crds(loaded *helm.Chart) (all []int) {
	for _, crd := range loaded.CRDObjects() {
		if i := int(crd.File.ModTime.Unix()); !slices.Contains(all, i) {
			all = append(all, i)
		}
	}
	return all
}
