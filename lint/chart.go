package lint

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/render/chart"
)

// CheckChart checks what a chart makes with each of several sets of values, as [Check] checks
// manifests. What several of them have in common is one finding; the others name their cases.
// With a product the chart is one of its charts, and [Options.Charts] of a check of the product's
// manifests takes the reports.
func CheckChart(ctx context.Context, c *chart.Chart, cases []chart.Case, o Options) (*Report, error) {
	o.chart = true
	all := newReport([]string{c.String()})
	for _, k := range cases {
		objects, err := c.Render(ctx, k.Options)
		if err != nil {
			return nil, inCase(err, k.Name)
		}
		made := ChartFile(c.String(), objects)
		r, err := Check(ctx, []File{made}, o)
		if err != nil {
			return nil, inCase(fmt.Errorf("what chart %s makes: %w", c, err), k.Name)
		}
		all.join(r, k.Name)
		o.Unrendered = nil // once is enough
		all.Made = append(all.Made, made)
	}
	all.Findings = slices.DeleteFunc(all.Findings, func(f Finding) bool {
		return f.Rule == "allow-unused" && len(f.cases) < len(cases) // another case has what the comment allows
	})
	for _, list := range [][]Finding{all.Findings, all.Allowed} {
		for n := range list {
			list[n].nameCases()
		}
	}
	return all, nil
}

// nameCases names the cases of a finding that the chart's own values do not have.
func (f *Finding) nameCases() {
	if !slices.Contains(f.cases, "") {
		f.Cases = strings.Join(f.cases, ", ")
	}
}

func inCase(err error, name string) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("%w (case %s)", err, name)
}

// join adds the report on a case.
func (r *Report) join(one *Report, name string) {
	r.Findings, r.Allowed = join(r.Findings, one.Findings, name), join(r.Allowed, one.Allowed, name)
	r.Objects, r.Pods = max(r.Objects, one.Objects), max(r.Pods, one.Pods)
	r.Unchecked = one.Unchecked
	maps.Copy(r.named, one.named)
	for pos, used := range one.used {
		r.used[pos] = r.used[pos] || used
	}
}

// join adds findings of a case. Two are one if they are of the same line of a template and object.
func join(all, list []Finding, name string) []Finding {
	for _, f := range list {
		n := slices.IndexFunc(all, func(o Finding) bool {
			return o.Rule == f.Rule && o.File == f.File && o.Object == f.Object && o.Path == f.Path &&
				o.What == f.What && o.Origin == f.Origin && (f.Origin != "" || o.Line == f.Line)
		})
		if n < 0 {
			n = len(all)
			all = append(all, f)
		}
		all[n].cases = append(all[n].cases, name)
	}
	return all
}

// ChartFile returns what a chart has made as one manifest, whose lines are of its templates.
func ChartFile(name string, objects []chart.Object) File {
	var text bytes.Buffer
	var origins []string
	for _, o := range objects {
		text.WriteString("---\n")
		origins = append(origins, "")
		text.Write(o.Text)
		for n := range bytes.Count(o.Text, []byte("\n")) {
			origins = append(origins, o.Origin(n+1))
		}
		if !bytes.HasSuffix(o.Text, []byte("\n")) {
			text.WriteString("\n")
			origins = append(origins, o.Origin(bytes.Count(o.Text, []byte("\n"))+1))
		}
	}
	return File{Name: name, Text: text.Bytes(), Origin: func(line int) string {
		if line < 1 || line > len(origins) {
			return ""
		}
		return origins[line-1]
	}}
}
