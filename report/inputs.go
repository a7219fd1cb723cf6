package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform/distribution"
)

// inputs lists what the release was made from.
func (p *page) inputs(l *lock.Lock, stated *provenance.Statement) {
	for _, s := range l.Sources {
		p.Inputs = append(p.Inputs, input{
			Kind: "source", Name: s.Name,
			Version: strings.TrimSpace(s.Module + " " + s.Revision), Place: s.URL, Proof: compared(s, stated),
		})
	}
	if l.Go != "" {
		p.Inputs = append(p.Inputs, input{Kind: "toolchain", Name: "Go", Version: strings.TrimPrefix(l.Go, "go")})
	}
	for _, c := range l.Compilers {
		p.Inputs = append(p.Inputs,
			input{Kind: "compiler", Name: c.Command, Version: c.Version, Place: c.Platform.String()})
	}
	bases := map[string]input{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			for _, b := range c.Bases() {
				bases[b.Name+b.Digest.String()] = base(b, c, l.Created)
			}
			if t := c.Prebuilt; t != nil {
				p.Inputs = append(p.Inputs, input{
					Kind: "image taken as it is", Name: t.From, Version: c.Digest.String(),
					Place: i.Name + " for " + c.Platform.String(),
					Proof: cmp.Or(t.Builder, "how it was made is not known"),
				})
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(bases)) {
		p.Inputs = append(p.Inputs, bases[key])
	}
	for _, b := range l.Prebuilt {
		p.Inputs = append(p.Inputs,
			input{Kind: "prebuilt program", Name: b.Name, Version: b.Digest.String(), Place: b.Platform.String()})
	}
}

// compared states what the statement of a release proves of a source.
func compared(s lock.Source, stated *provenance.Statement) string {
	if stated == nil {
		return ""
	}
	for _, d := range stated.Predicate.BuildDefinition.ResolvedDependencies {
		if a := d.Annotations; a.Kind == provenance.KindSource && a.Source == s.Name && a.Proven {
			return "its files were compared with the commit"
		}
	}
	return "the commit is declared: its files were not compared"
}

// base is a base of a manifest of a release that was made at a time.
func base(b lock.Base, c lock.Child, released time.Time) input {
	name, _, _ := strings.Cut(b.Name, "@")
	in := input{Kind: "base", Name: name, Version: b.Digest.String(), Age: age(b.Created, released)}
	if c.OSVersion != "" {
		in.Place = "Windows " + c.OSVersion
	}
	// that had ended by the date of the release
	if text := distribution.SupportOf(name, c.OSVersion).State(released); text != "" {
		in.Age = strings.TrimPrefix(in.Age+"; "+text, "; ")
	}
	if b.Stub {
		in.Place = strings.TrimPrefix(in.Place+", a stub", ", ")
	}
	return in
}

// age states how old a base is by the date of the release, which has no clock.
func age(created, released time.Time) string {
	if created.IsZero() {
		return ""
	}
	day := func(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }
	days := int(day(released).Sub(day(created)).Hours() / 24)
	text := created.UTC().Format(time.DateOnly)
	switch {
	case days < 0:
		return text + ", after the date of the release"
	case days == 0:
		return text + ", on the day of the release"
	case days == 1:
		return text + ", a day before the release"
	}
	return fmt.Sprintf("%s, %d days before the release", text, days)
}

// others lists the third-party images.
func (p *page) others(l *lock.Lock) {
	for _, t := range l.ThirdParty {
		o := other{t.Reference, t.Digest.String(), strings.Join(t.OS, ", "), strings.Join(t.From, "; ")}
		if t.Omitted != "" {
			o.Digest = "omitted: " + t.Omitted
		}
		o.Systems = cmp.Or(o.Systems, "all")
		p.Others = append(p.Others, o)
	}
}
