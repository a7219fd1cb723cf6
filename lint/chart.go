package lint

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// CheckChart checks what a chart makes with each of several sets of values, as [Check] checks
// manifests. What several of them have in common is one finding; the others name their cases.
// With a product the chart is one of its charts, and [Options.Charts] of a check of the product's
// manifests takes the reports.
func CheckChart(ctx context.Context, c *chart.Chart, cases []chart.Case, o Options) (*Report, error) {
	o.chart = true
	all := &cased{report: &Report{Files: []string{c.String()}, Findings: []Finding{}, Allowed: []Finding{}, named: map[string]bool{}, used: map[yamlfile.Pos]bool{}}}
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
		all.add(r, k.Name)
		o.Unrendered = nil // once is enough
		all.report.Made = append(all.report.Made, made)
	}
	return all.finish(len(cases)), nil
}

func inCase(err error, name string) error {
	if name == "" {
		return err
	}
	return fmt.Errorf("%w (case %s)", err, name)
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

// cased joins the reports of several cases.
type cased struct {
	report  *Report
	found   []casedFinding
	allowed []casedFinding
}

type casedFinding struct {
	Finding
	cases []string
}

func (c *cased) add(r *Report, name string) {
	c.found, c.allowed = join(c.found, r.Findings, name), join(c.allowed, r.Allowed, name)
	c.report.Objects, c.report.Pods = max(c.report.Objects, r.Objects), max(c.report.Pods, r.Pods)
	c.report.Unchecked = r.Unchecked
	maps.Copy(c.report.named, r.named)
	for pos, used := range r.used {
		c.report.used[pos] = c.report.used[pos] || used
	}
}

// join adds findings of a case. Two are one if they are of the same line of a template and object.
func join(all []casedFinding, list []Finding, name string) []casedFinding {
	for _, f := range list {
		n := slices.IndexFunc(all, func(o casedFinding) bool {
			return o.Rule == f.Rule && o.Origin == f.Origin && o.Object == f.Object && o.Path == f.Path && o.What == f.What && (f.Origin != "" || o.Line == f.Line)
		})
		if n < 0 {
			all = append(all, casedFinding{Finding: f})
			n = len(all) - 1
		}
		all[n].cases = append(all[n].cases, name)
	}
	return all
}

func (c *cased) finish(cases int) *Report {
	for _, f := range c.found {
		if f.Rule == "allow-unused" && len(f.cases) < cases {
			continue // another case has what the comment allows
		}
		c.report.Findings = append(c.report.Findings, f.named())
	}
	for _, f := range c.allowed {
		c.report.Allowed = append(c.report.Allowed, f.named())
	}
	return c.report
}

func (f casedFinding) named() Finding {
	if !slices.Contains(f.cases, "") {
		f.Cases = strings.Join(f.cases, ", ")
	}
	return f.Finding
}
