package lint_test

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "github.com/slipway-dev/slipway/render/engines"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/slipway-dev/slipway/render/chart"
)

// sameAsHelm compares what a chart makes with what Helm's own packages make of its directory, which
// has to have all dependencies: Helm takes those at file:// from charts/ only.
func sameAsHelm(ctx context.Context, t *testing.T, c *chart.Chart, dir string, values map[string]any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("file://")) {
		return
	}
	objects, err := c.Render(ctx, chart.Options{Values: values})
	if err != nil {
		return // which the golden file has
	}
	ours := map[string]string{}
	for _, o := range objects {
		if !o.CRD {
			ours[o.Template] += content(string(o.Text))
		}
	}
	theirs, err := helmMakes(ctx, dir, values)
	if err != nil {
		t.Errorf("%s: Helm says %v", dir, err)
		return
	}
	// A packaged subchart has other paths here.
	if d := cmp.Diff(slices.Sorted(maps.Values(theirs)), slices.Sorted(maps.Values(ours))); d != "" {
		t.Errorf("%s (-Helm +Slipway)\n%s", dir, d)
	}
}

// helmMakes returns the content that Helm makes, by the template's path in the chart.
func helmMakes(ctx context.Context, dir string, values map[string]any) (map[string]string, error) {
	c, err := loader.LoadDir(filepath.FromSlash(dir))
	if err != nil {
		return nil, err
	}
	if values == nil {
		values = map[string]any{}
	}
	if err := util.ProcessDependencies(c, values); err != nil {
		return nil, err
	}
	kube, err := common.ParseKubeVersion(chart.KubeVersion)
	if err != nil {
		return nil, err
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *kube
	o := common.ReleaseOptions{Name: c.Name(), Namespace: "default", Revision: 1, IsInstall: true}
	top, err := commonutil.ToRenderValuesWithSchemaValidation(c, values, o, caps, true)
	if err != nil {
		return nil, err
	}
	made, err := engine.Engine{}.RenderWithContext(ctx, c, top)
	if err != nil {
		return nil, err
	}
	all := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(made)) {
		if text := content(made[name]); text != "" && path.Base(name) != "NOTES.txt" {
			all[strings.TrimPrefix(name, c.Name()+"/")] += text
		}
	}
	return all, nil
}

// content returns the lines of a text that are neither blank nor a comment nor a separator.
func content(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if s := strings.TrimSpace(line); s != "" && !strings.HasPrefix(s, "#") && s != "---" {
			b.WriteString(strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}
