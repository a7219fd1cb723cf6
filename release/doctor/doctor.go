// Package doctor tries everything that a release needs: programs, disks, the clock, registries and
// the rights to them. Nothing stays on the disk, and registries get only an upload that is
// canceled.
//
// [Examine] runs the checks of one table and returns what each has found, in that order.
package doctor

import (
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/product"
)

// Options select what to examine.
type Options struct {
	// Undescribed means that slipway.yaml is missing: the product has a registry at most.
	Undescribed bool
	// Faults are the errors of slipway.yaml, each with its remedy. The product is then empty.
	Faults     []error
	Out, Store string // directories
	Network    network.Options
}

// Finding is what a check has found, on one line.
type Finding struct {
	Check string `json:"check"`
	OK    bool   `json:"ok"`
	Text  string `json:"text"` // a problem ends with its remedy
}

// Report has the findings of all checks, at least one of each.
type Report struct {
	Findings []Finding `json:"findings"`

	outage bool // a problem is that of a server
}

// Problems counts the findings that would stop a release.
func (r *Report) Problems() (n int) {
	for _, f := range r.Findings {
		if !f.OK {
			n++
		}
	}
	return n
}

// checks are all checks in the order of the report.
var checks = []struct {
	name string
	try  func(*examination, context.Context, *findings)
}{
	{"product", (*examination).describe},
	{"go", (*examination).toolchain},
	{"git", (*examination).git},
	{"builder", (*examination).builders},
	{"disk", (*examination).disks},
	{"sandbox", (*examination).sandbox},
	{"proxy", (*examination).proxies},
	{"clock", (*examination).clock},
	{"push", (*examination).push},
	{"pull", (*examination).pull},
}

// examination is one call of [Examine].
type examination struct {
	Options

	product *product.Product
	client  *network.Client
}

// findings are those of one check.
type findings struct {
	check  string
	list   []Finding
	outage bool // a problem is that of a server
}

func (f *findings) ok(format string, args ...any) {
	f.list = append(f.list, Finding{f.check, true, output.Line(fmt.Sprintf(format, args...))})
}

func (f *findings) problem(format string, args ...any) {
	for _, a := range args {
		err, ok := a.(error)
		f.outage = f.outage || ok && outcome.Failed(err)
	}
	f.list = append(f.list, Finding{f.check, false, output.Line(fmt.Sprintf(format, args...))})
}

// Examine runs all checks for a release of p.
func Examine(ctx context.Context, p *product.Product, o Options) *Report {
	e := &examination{o, p, network.New(o.Network)}
	found := make([]findings, len(checks))
	var g sync.WaitGroup
	for n, c := range checks {
		found[n].check = c.name
		g.Go(func() { c.try(e, ctx, &found[n]) })
	}
	g.Wait()
	var r Report
	for _, f := range found {
		r.Findings = append(r.Findings, f.list...)
		r.outage = r.outage || f.outage
	}
	return &r
}

// WriteTable writes a line for each finding.
func (r *Report) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "")
	for _, f := range r.Findings {
		state := "ok"
		if !f.OK {
			state = "problem"
		}
		t.Row("%s\t%s\t%s", state, f.Check, f.Text)
	}
	return t.Flush()
}

// noRegistry states why no registry is asked, "" if one is.
func (e *examination) noRegistry() string {
	switch {
	case len(e.Faults) > 0:
		return "not tried: first mend " + product.File
	case len(e.product.Destinations) == 0:
		return "not tried: no registry is named"
	}
	return ""
}

// describe reports the product and what slipway.yaml lacks.
func (e *examination) describe(_ context.Context, f *findings) {
	for _, err := range e.Faults {
		f.problem("%v", err)
	}
	switch {
	case len(e.Faults) > 0:
	case e.Undescribed:
		f.ok("no %s here: only the machine and the registry are examined; %s writes one", product.File,
			howto.Run("init"))
	case e.product.Snapshot():
		f.ok("%s; no registry is named, so that this would be a snapshot", e.product.Title())
	default:
		f.ok("%s", e.product.Title())
		for _, d := range e.product.Demands {
			f.problem("%s", d)
		}
	}
}
