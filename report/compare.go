package report

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/report/changes"
)

// comparison is what differs from an older release.
type comparison struct {
	Version  string
	Sections []section
	Why      []reasons
	Images   []delta
	Same     int       // manifests that have not changed
	New      []finding // of lint
	Gone     []finding
	Manifest []change
}

// section is the changes of one kind.
type section struct {
	Title   string
	Changes []moved
}

// moved is a thing of which versions have come or gone.
type moved struct {
	changes.Change
	Direction string // of a module: up, down, new, gone, changed
	Link      string // to the difference; "" if none is known
	Images    string // that have the module
}

// delta is how a manifest of an image has changed.
type delta struct {
	Image, Platform string
	Old, New        int64 // bytes of layers
	Bytes           int64 // New - Old
	State           string
}

func compare(old, now *Release) *comparison {
	c := &comparison{Manifest: diff(string(old.Manifest), string(now.Manifest))}
	if old.Lock == nil || now.Lock == nil {
		return c
	}
	c.Version = old.Lock.Version
	for _, s := range changes.Compare(old.Release, now.Release) {
		c.Sections = append(c.Sections, link(s, old, now))
	}
	c.images(old.Lock, now.Lock)
	c.why(old, now)
	c.New, c.Gone = missing(now.Findings, old.Findings), missing(old.Findings, now.Findings)
	return c
}

// link adds to changes of sources and modules where a person reads them.
func link(s changes.Section, old, now *Release) section {
	out := section{Title: s.Title}
	for _, c := range s.Changes {
		m := moved{Change: c}
		first := func(list []string) string {
			if len(list) != 1 {
				return ""
			}
			return list[0]
		}
		switch s.Title {
		case changes.Sources:
			a, b := source(old.Lock, c.Name), source(now.Lock, c.Name)
			m.Link = compareLink(b.URL, a.Revision, b.Revision)
		case changes.Modules:
			a, b := first(c.Old), first(c.New)
			m.Link = moduleLink(c.Name, a, b)
			m.Direction = "changed"
			if c.Added || c.Removed || a != "" && b != "" {
				m.Direction = direction(c.Name, a, b)
			}
			var images []string
			for _, v := range c.New {
				images = append(images, now.Images[[2]string{c.Name, v}]...)
			}
			m.Images = some(slices.Compact(slices.Sorted(slices.Values(images))))
		case changes.Packages:
			m.Direction, m.Images = "changed", some(with(now.Summary, c.Name, c.New))
			switch {
			case c.Added:
				m.Direction = "new"
			case c.Removed:
				m.Direction = "gone"
			}
		}
		out.Changes = append(out.Changes, m)
	}
	return out
}

func source(l *lock.Lock, name string) (s lock.Source) {
	if n := slices.IndexFunc(l.Sources, func(s lock.Source) bool { return s.Name == name }); n >= 0 {
		s = l.Sources[n]
	}
	return s
}

// manifest is a manifest of a release: of an image, for a platform.
type manifest struct {
	image    string
	platform platform.Platform
}

func manifests(l *lock.Lock) map[manifest]lock.Child {
	all := map[manifest]lock.Child{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			p := c.Platform
			if platform.Release(p.OSVersion) != "" { // a newer build of the same release
				p.OSVersion = platform.Release(p.OSVersion)
			}
			all[manifest{i.Name, p}] = c
		}
	}
	return all
}

// images lists the manifests that are new, gone or changed, and counts the others.
func (c *comparison) images(old, now *lock.Lock) {
	before, after := manifests(old), manifests(now)
	keys := maps.Clone(before)
	maps.Copy(keys, after)
	for _, k := range slices.SortedFunc(maps.Keys(keys), func(a, b manifest) int {
		return cmp.Or(cmp.Compare(a.image, b.image), cmp.Compare(a.platform.String(), b.platform.String()))
	}) {
		a, had := before[k]
		b, has := after[k]
		on := b.Platform
		d := delta{
			Image: k.image, Old: a.LayerBytes, New: b.LayerBytes, Bytes: b.LayerBytes - a.LayerBytes,
			State: "changed",
		}
		switch {
		case !had:
			d.State = "new"
		case !has:
			d.State, on = "gone", a.Platform
		case a.Digest == b.Digest:
			c.Same++
			continue
		}
		d.Platform = called(on)
		c.Images = append(c.Images, d)
	}
}

// missing are the findings of one list that another does not have, wherever they are.
func missing(all, others []Finding) (out []finding) {
	for _, f := range all {
		same := func(o Finding) bool {
			return o.Rule == f.Rule && o.Object == f.Object && o.Path == f.Path && o.Allowed == f.Allowed
		}
		if !slices.ContainsFunc(others, same) {
			out = append(out, f.shown())
		}
	}
	return out
}

// reasons are why an image has changed, as far as the locks and bills of materials state.
type reasons struct {
	Image string
	All   []string
}

// why lists the images that have changed, and why.
func (c *comparison) why(old, now *Release) {
	for _, i := range now.Lock.Images {
		before, had := old.Lock.Image(i.Name)
		if had && before.Digest == i.Digest {
			continue
		}
		if !had {
			c.Why = append(c.Why, reasons{i.Name, []string{"it is new"}})
			continue
		}
		all := grounds(before, i)
		var of []string
		if made(before, i) {
			of = append(sourcesOf(old, i.Name), sourcesOf(now, i.Name)...)
		}
		inside := append(counted(modulesOf(old, i.Name), modulesOf(now, i.Name)), packagesMoved(old, now, i.Name)...)
		for _, s := range c.Sections {
			if s.Title != changes.Sources {
				continue
			}
			for _, m := range s.Changes {
				if slices.Contains(of, m.Name) {
					inside = append(inside,
						"source "+m.Name+": "+strings.Join(m.Old, ", ")+" → "+strings.Join(m.New, ", "))
				}
			}
		}
		if len(inside) == 0 && (len(all) == 0 || unexplained(before, i, all)) {
			inside = []string{"its files, its labels or its settings: neither bases, packages, modules nor sources"}
		}
		all = append(all, inside...)
		c.Why = append(c.Why, reasons{i.Name, all})
	}
	for _, i := range old.Lock.Images {
		if _, ok := now.Lock.Image(i.Name); !ok {
			c.Why = append(c.Why, reasons{i.Name, []string{"it is gone"}})
		}
	}
}
