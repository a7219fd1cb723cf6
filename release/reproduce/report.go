package reproduce

import (
	"fmt"
	"io"
	"net/url"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/sandbox"
)

// Report states whether a release could be reproduced.
type Report struct {
	Product string `json:"product"`
	Version string `json:"version"`
	// Equal is how many of the Subjects have the same digest.
	Equal    int `json:"equal"`
	Subjects int `json:"subjects"`
	// Notes are the differences of this machine that are known before anything is built.
	Notes []string `json:"notes,omitempty"`
	// Sandbox is what the compiler was run in.
	Sandbox     sandbox.Protection `json:"sandbox"`
	Differences []Difference       `json:"differences,omitempty"`
	// Taken are the manifests that other builders made, of which only the digest was compared.
	Taken []string `json:"taken,omitempty"`

	// Made is the statement of the release as it was made here.
	Made *provenance.Statement `json:"-"`
}

// Difference is a subject that is not the same.
type Difference struct {
	Subject  string `json:"subject"`
	Platform string `json:"platform,omitempty"`
	SHA256   string `json:"sha256"`         // of the release
	Made     string `json:"made,omitempty"` // of the rebuilt one; "" for nothing
	// Causes say where it differs and why.
	Causes []Cause `json:"causes,omitempty"`
}

// Cause is a place that differs.
type Cause struct {
	Layer int    `json:"layer,omitempty"` // from 1; 0 for none
	File  string `json:"file,omitempty"`
	Why   string `json:"why"`
}

func newReport(s *provenance.Statement) *Report {
	p := s.Predicate.BuildDefinition.ExternalParameters
	r := &Report{Product: p.Name, Version: p.Version, Subjects: len(s.Subjects)}
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		if a := d.Annotations; a.Kind == provenance.KindPrebuilt {
			from, err := url.PathUnescape(d.URI)
			if err != nil {
				from = d.URI
			}
			r.Taken = append(r.Taken, fmt.Sprintf("image %s for %s is taken as another builder made it (%s): "+
				"its digest was compared, and it was not built", a.Source, a.Platform, from))
		}
	}
	return r
}

func (r *Report) title() string { return r.Product + " " + r.Version }

// Same reports whether all subjects are the same.
func (r *Report) Same() bool { return len(r.Differences) == 0 && r.Equal == r.Subjects }

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer) error {
	for _, d := range r.Differences {
		made := "nothing of that name was made"
		if d.Made != "" {
			made = "made here: sha256:" + d.Made
		}
		fmt.Fprintf(w, "DIFFERS %s\n  of the release: sha256:%s\n  %s\n", output.Line(d.Subject), d.SHA256, made)
		for _, c := range d.Causes {
			fmt.Fprintf(w, "  %s\n", output.Line(c.String()))
		}
	}
	for _, text := range r.Taken {
		fmt.Fprintln(w, output.Line(text))
	}
	_, err := fmt.Fprintf(w, "%s: %d of %d subjects are the same\n", output.Line(r.title()), r.Equal, r.Subjects)
	return err
}

// String returns the cause as a line: "layer 2, ko-app/hello: compiled by go1.26.7, here by
// go1.26.8".
func (c Cause) String() string {
	text := c.Why
	if c.File != "" {
		text = c.File + ": " + text
	}
	if c.Layer > 0 {
		text = fmt.Sprintf("layer %d, %s", c.Layer, text)
	}
	return text
}
