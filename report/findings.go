package report

import (
	"context"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/lint/nodes"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/render/workload"
)

// manifestName is the name in dist/ of the rendered manifest.
const manifestName = distfile.Manifest

// maxExcerpts is how many findings are shown with the lines around them; the others have the
// number of the line only.
const maxExcerpts = 300

// Finding is a finding of lint in release.yaml, or in the manifest of a chart with its own values.
type Finding struct {
	lint.Finding
	Allowed bool
	lines   []string // of the file
}

// judge fills in the findings of the manifest and of the charts.
func (r *Release) judge(ctx context.Context) error {
	o := lint.Options{Lock: r.Lock, Allow: r.Allow}
	if r.Manifest != nil {
		found, err := lint.Check(ctx, []lint.File{{Name: manifestName, Text: r.Manifest}}, o)
		if err != nil {
			return err
		}
		r.found(found, manifestName, r.Manifest)
	}
	for _, c := range r.Charts {
		found, err := lint.CheckChart(ctx, c, []chart.Case{{}}, o)
		if err != nil {
			r.Unknown = append(r.Unknown, fmt.Sprintf("Findings in chart %s with its own values: %v", c.Name(), err))
			continue
		}
		r.found(found, found.Made[0].Name, found.Made[0].Text)
	}
	return nil
}

// render returns what a chart makes with its own values.
func render(ctx context.Context, c *chart.Chart) (lint.File, error) {
	objects, err := c.Render(ctx, chart.Options{})
	if err != nil {
		return lint.File{}, err
	}
	return lint.ChartFile(c.String(), objects), nil
}

// found adds the findings in a file. Those in slipway.yaml, such as an entry of lint.allow that is
// for another set of values, are not about what the release has.
func (r *Release) found(all *lint.Report, name string, text []byte) {
	r.Linted = true
	lines := strings.Split(string(text), "\n")
	for _, f := range all.Findings {
		if f.File == name {
			r.Findings = append(r.Findings, Finding{f, false, lines})
		}
	}
	for _, f := range all.Allowed {
		r.Findings = append(r.Findings, Finding{f, true, lines})
	}
}

// RunOn compares the release with nodes: which run what, and why the others do not.
func (r *Release) RunOn(ctx context.Context, list []nodes.Node) error {
	if r.Lock == nil || r.alone {
		return fmt.Errorf("which nodes run the release follows from its lock and its manifests: " +
			"name the directory of the release")
	}
	var sources []nodes.Source
	if r.Manifest != nil {
		objects, err := workload.Read(manifestName, r.Manifest)
		if err != nil {
			return err
		}
		sources = append(sources, nodes.Source{Objects: objects})
	}
	for _, c := range r.Charts {
		made, err := render(ctx, c)
		if err != nil {
			return fmt.Errorf("chart %s with its own values: %w", c.Name(), err)
		}
		objects, err := workload.Read(made.Name, made.Text)
		if err != nil {
			return fmt.Errorf("what chart %s makes: %w", c.Name(), err)
		}
		sources = append(sources, nodes.Source{Chart: c.Name(), Objects: objects, Origin: made.Origin})
	}
	r.Nodes = nodes.Check(sources, r.Lock, list)
	return nil
}

// finding is a finding on the page.
type finding struct {
	Rule, Severity, Object, Field, What, Instead, Link string
	File, Place                                        string // Place is that in a template of a chart
	Line                                               int
	Allowed                                            bool
	Reason                                             string
	Lines                                              []line // around it
}

type line struct {
	Number int
	Text   string
	Found  bool
}

// shown returns a finding for the page, without the lines around it.
func (f Finding) shown() finding {
	out := finding{
		Rule: f.Rule, Severity: string(f.Severity), Object: f.Object, Field: f.Path, What: f.What,
		Instead: strings.ReplaceAll(f.Instead, "`", ""), Link: f.Link,
		File: f.File, Place: f.Origin, Line: f.Line, Allowed: f.Allowed, Reason: f.Reason,
	}
	if out.Allowed {
		out.Severity = "allowed"
	}
	return out
}

// findings lists what lint says, each with the lines around its place.
func (p *page) findings(all []Finding) {
	for n, f := range all {
		out := f.shown()
		if n < maxExcerpts {
			for n := max(f.Line-3, 1); n <= min(f.Line+3, len(f.lines)); n++ {
				out.Lines = append(out.Lines, line{n, f.lines[n-1], n == f.Line})
			}
		}
		p.Findings = append(p.Findings, out)
	}
}
