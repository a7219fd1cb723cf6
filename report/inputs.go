package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
)

// inputs lists what the release was made from.
func (p *page) inputs(l *lock.Lock) {
	for _, s := range l.Sources {
		p.Inputs = append(p.Inputs, input{"source", s.Name, cmp.Or(s.Module, s.Revision), s.URL})
	}
	if l.Go != "" {
		p.Inputs = append(p.Inputs, input{"toolchain", "Go", strings.TrimPrefix(l.Go, "go"), ""})
	}
	for _, c := range l.Compilers {
		p.Inputs = append(p.Inputs, input{"compiler", c.Command, c.Version, c.Platform.String()})
	}
	bases := map[string]input{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			from := c.CopiedFrom
			if c.Base != nil {
				from = append([]lock.Base{*c.Base}, from...)
			}
			for _, b := range from {
				name, _, _ := strings.Cut(b.Name, "@")
				in := input{"base", name, b.Digest.String(), ""}
				if c.OSVersion != "" {
					in.Place = "Windows " + c.OSVersion
				}
				if b.Stub {
					in.Place += ", a stub"
				}
				bases[b.Name+b.Digest.String()] = in
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(bases)) {
		p.Inputs = append(p.Inputs, bases[key])
	}
	for _, b := range l.Prebuilt {
		p.Inputs = append(p.Inputs, input{"program that was there already", b.Name, b.Digest.String(), b.Platform.String()})
	}
}

// others lists the images of others.
func (p *page) others(l *lock.Lock) {
	for _, t := range l.ThirdParty {
		o := other{t.Reference, t.Digest.String(), strings.Join(t.OS, ", "), strings.Join(t.From, "; ")}
		if t.Omitted != "" {
			o.Digest = "left out: " + t.Omitted
		}
		o.Systems = cmp.Or(o.Systems, "all")
		p.Others = append(p.Others, o)
	}
}
