package lint

import (
	"errors"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// NewIndex returns an image whose documents were read. configs reads configurations, of which each
// is asked for once; nil reads none.
func NewIndex(name string, t *oci.Tree, configs oci.Get) Index {
	i := Index{Name: name, Desc: t.Desc, Raw: t.Raw}
	if !t.Desc.MediaType.IsIndex() {
		i.Single, i.Entries = true, []Entry{newEntry(t, configs)}
		return i
	}
	for _, c := range t.Children {
		i.Entries = append(i.Entries, newEntry(c, configs))
	}
	return i
}

func newEntry(t *oci.Tree, configs oci.Get) Entry {
	e := Entry{Desc: t.Desc, MediaType: string(t.Desc.MediaType), Layers: t.Layers}
	switch {
	case t.Presence == oci.Absent: // omitted on purpose
		return e
	case t.Desc.MediaType.IsIndex():
		nested := NewIndex("", t, configs)
		e.Nested, e.Read = &nested, outcome.There
	case configs != nil && t.Config != nil && t.Config.MediaType.IsConfig():
		e.Config, e.Fault = t.ReadConfig(configs)
		e.Read = outcome.Of(e.Fault)
	}
	e.Artifact = t.IsOther()
	return e
}

// Place returns the place that names an image, from the text in a lock: images.txt:12, or a place
// in a manifest without a line.
func Place(from string) yamlfile.Pos {
	p := yamlfile.Pos{File: from}
	at := strings.LastIndex(from, ":")
	if at < 0 {
		return p
	}
	if line, err := strconv.Atoi(from[at+1:]); err == nil && line > 0 {
		p = yamlfile.Pos{File: from[:at], Line: line, Column: 1}
	}
	return p
}

// Broken returns an error with a line for each finding of severity error, and for what could not be
// read ([Report.Incomplete]), or nil.
func (r *Report) Broken() error {
	errs := []error{r.Incomplete()}
	for _, f := range r.Findings {
		if f.Severity == Error {
			errs = append(errs, errors.New(f.String()))
		}
	}
	return errors.Join(errs...)
}

// Others returns the findings that are not errors.
func (r *Report) Others() (all []Finding) {
	for _, f := range r.Findings {
		if f.Severity != Error {
			all = append(all, f)
		}
	}
	return all
}
