package chart_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"helm.sh/helm/v4/pkg/chart/common"
	commonutil "helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	"helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"

	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/render/chart"
)

var (
	charts = flag.Uint64("charts", extent.Number[uint64](6, 40), "how many charts to draw")
	seed   = flag.Uint64("seed", 1, "where the drawing of charts begins")
)

// TestDrawn pins charts that are drawn, with subcharts, aliases, conditions, global values, hooks
// and mappings. What Helm renders of the published chart is what it renders of the original but for
// the images, of which each is the right one; otherwise the chart is refused. With values that no
// case has, an image is never another one.
func TestDrawn(t *testing.T) {
	extent.Plain(t)
	refused := 0
	for n := range *charts {
		d := draw(*seed, n)
		what := fmt.Sprintf("chart %d of seed %d", n, *seed)
		original := load(t, d.files.String())
		cases, mappings := d.cases(), d.mappings()
		pinned, err := original.Pin(t.Context(), chart.PinOptions{Cases: cases, Mappings: mappings, Find: find})
		if err != nil {
			if !strings.Contains(err.Error(), "cannot be pinned") && !strings.Contains(err.Error(),
				"no rendering of chart") && !strings.Contains(err.Error(), "several aliases") {
				t.Errorf("%s: %v", what, err)
			}
			refused++
			continue
		}
		for _, k := range append(cases,
			chart.Case{Name: "everything", Options: chart.Options{Values: d.everything()}}) {
			before, after := helmTemplate(t, original, k.Options.Values), helmTemplate(t, pinned, k.Options.Values)
			for _, err := range d.compare(before, after, mappings, k.Name != "everything") {
				t.Errorf("%s, case %q: %v", what, k.Name, err)
			}
			if err := sameObjects(t, pinned, k.Options, after); err != nil {
				t.Errorf("%s, case %q: %v", what, k.Name, err)
			}
		}
		if t.Failed() {
			t.Fatalf("the chart, with mappings %v:\n%s\nits values became\n%s", mappings, d.files.String(),
				difference(t, original, pinned))
		}
	}
	t.Logf("%d of %d charts were refused", refused, *charts)
	if refused > int(*charts)/2 && *charts > 20 {
		t.Errorf("%d of %d charts were refused", refused, *charts)
	}
}

// helmTemplate renders a published chart by Helm's libraries, as "helm template" does.
func helmTemplate(t *testing.T, c *chart.Chart, values map[string]any) map[string]string {
	t.Helper()
	var b bytes.Buffer
	err := c.Package(&b, time.Unix(0, 0))
	loaded, err2 := loader.LoadArchive(&b)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	values = chart.MergeValues(nil, values)
	if err := util.ProcessDependencies(loaded, values); err != nil {
		t.Fatal(err)
	}
	kube, err := common.ParseKubeVersion(chart.KubeVersion)
	if err != nil {
		t.Fatal(err)
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *kube
	top, err := commonutil.ToRenderValues(loaded,
		values, common.ReleaseOptions{Name: "app", Namespace: "default", Revision: 1, IsInstall: true}, caps)
	if err != nil {
		t.Fatal(err)
	}
	made, err := engine.Render(loaded, top)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

var (
	containerLine = regexp.MustCompile(`^  - name: (c\S+)$`)
	versionLine   = regexp.MustCompile(`^    env: \[\{name: VERSION, value: "(.*)"\}\]$`)
	imageOf       = regexp.MustCompile(`^(\s+(?:image: |- --image=)"?)([^"]*)("?)$`)
)

// compare lists what differs in two renderings but for images. Those that find or a mapping knows
// must be pinned; without must they may stay, but never become another image.
func (d *drawn) compare(before, after map[string]string, mappings []chart.Mapping, must bool) (errs []error) {
	if !slices.Equal(slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after))) {
		return []error{fmt.Errorf("other templates are rendered: %v, before %v", slices.Sorted(maps.Keys(after)),
			slices.Sorted(maps.Keys(before)))}
	}
	for template, text := range before {
		old, now := strings.Split(text, "\n"), strings.Split(after[template], "\n")
		if len(old) != len(now) {
			errs = append(errs, fmt.Errorf("%s has %d lines, before %d", template, len(now), len(old)))
			continue
		}
		in := ""
		for _, step := range regexp.MustCompile(`/charts/([^/]*)`).FindAllStringSubmatch(template, -1) {
			in += step[1] + "."
		}
		container, tag := "", ""
		for n := range old {
			if m := containerLine.FindStringSubmatch(old[n]); m != nil {
				container = m[1]
			}
			a, b := imageOf.FindStringSubmatch(old[n]), imageOf.FindStringSubmatch(now[n])
			if a == nil || b == nil {
				// a tag that is a version, too, is that of the image
				if v := versionLine.FindStringSubmatch(now[n]); old[n] != now[n] && (v == nil || v[1] != tag) {
					errs = append(errs, fmt.Errorf("%s:%d: %q, before %q", template, n+1, now[n], old[n]))
				}
				continue
			}
			base, _, _ := strings.Cut(b[2], "@")
			tag = base[strings.LastIndexByte(base, ':')+1:]
			if err := right(a[2], b[2], d.wanted(in, container, a[2], mappings), must); err != nil {
				errs = append(errs, fmt.Errorf("%s:%d: %s: %w", template, n+1, container, err))
			}
		}
	}
	return errs
}

// wanted returns the image of a container of the chart whose values are at a path.
func (d *drawn) wanted(in, container, reference string, mappings []chart.Mapping) *chart.Image {
	for _, v := range d.uses[in][container].values {
		for _, m := range mappings {
			if m.Path == in+v {
				return &m.Image
			}
		}
	}
	return find(reference)
}

// right reports a reference that has become another one than that of an image.
func right(before, after string, want *chart.Image, must bool) error {
	name, digest, _ := strings.Cut(after, "@")
	if want == nil && !must && name == before { // a mirror has the repository of the image below its own
		want = find(strings.TrimPrefix(name, "example.com/"))
	}
	switch {
	case before == after && (want == nil || !must):
		return nil
	case want == nil:
		return fmt.Errorf("%s has become %s, and is of others", before, after)
	case digest != want.Digest && (must || digest != ""):
		return fmt.Errorf("%s has become %s, not one of %s", before, after, want.Digest)
	}
	old, _, _ := strings.Cut(before, "@")
	if r := repositoryOf(name); r != want.Repository && (must || r != repositoryOf(old)) {
		return fmt.Errorf("%s has become %s, not one of %s", before, after, want.Repository)
	}
	return nil
}

func repositoryOf(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		return name[:i]
	}
	return name
}

// sameObjects reports an object that Helm makes and Render does not, or the other way round.
func sameObjects(t *testing.T, c *chart.Chart, o chart.Options, made map[string]string) error {
	t.Helper()
	objects, err := c.Render(t.Context(), o)
	if err != nil {
		return err
	}
	var have, want []string
	for _, o := range objects {
		have = append(have, strings.TrimSpace(string(o.Text)))
	}
	for _, text := range made {
		for doc := range strings.SplitSeq(text, "---\n") {
			if doc = strings.TrimSpace(doc); doc != "" {
				want = append(want, doc)
			}
		}
	}
	slices.Sort(have)
	slices.Sort(want)
	if !slices.Equal(have, want) {
		return fmt.Errorf("the objects are\n%s\nHelm makes\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	return nil
}
