package scaffold

import (
	"path"
	"slices"
	"strings"
)

// findNames finds under which names users know the images: those that releases push, and those that
// manifests, charts and the README have.
func (d *Draft) findNames() {
	if d.without && len(d.images) == 0 {
		return
	}
	refs := d.allReferences()
	claims := map[int][]claim{} // of an image, its repositories
	for n, i := range d.images {
		for _, r := range refs {
			if !i.isNamed(r) && !d.isTagged(i, r) {
				continue
			}
			if m := stagingImage.FindStringSubmatch(r.repository); m != nil {
				if r.rank.ofUsers() {
					d.staging[i.name] = r.repository
				}
				r.repository, r.rank = "registry.k8s.io/"+m[1]+"/"+path.Base(r.repository), develops
			}
			claims[n] = append(claims[n], claim{withoutArch(r.repository), r.rank, r.at})
		}
	}
	d.hidden(claims)
	d.useNames(claims)
}

// lastOf is the end of a repository as the name of an image, which one for a platform shares.
func lastOf(repository string) string { return nameOf(withoutArch(path.Base(repository))) }

// isNamed reports whether a reference is that of an image: it is built from its Dockerfile, or has
// its name.
func (i image) isNamed(r named) bool {
	last := lastOf(r.repository)
	if r.of == "" || r.of == i.name {
		return last == i.last() || r.of == i.name
	}
	return (i.base == "" || last == i.base) &&
		slices.ContainsFunc(i.parts, func(p *part) bool { return p.from.path == r.of })
}

// isTagged reports whether users find an image in the repository of another one of the product, by
// a tag that only it has.
func (d *Draft) isTagged(i image, r named) bool {
	template, _ := tagTemplate(r.tag)
	return r.of == "" && r.rank.ofUsers() && strings.HasPrefix(template, "{{.Version}}-") &&
		slices.Contains(i.tags, template) &&
		slices.ContainsFunc(d.images, func(o image) bool { return o.last() == nameOf(path.Base(r.repository)) })
}

// last is the end of an image's repository.
func (i image) last() string {
	if i.base != "" {
		return i.base
	}
	return i.name
}

// useNames writes the names down: one registry, and a repository for each image.
func (d *Draft) useNames(claims map[int][]claim) {
	var shared []claim
	var open []string
	for n, i := range d.images {
		for _, c := range claims[n] {
			if p, ok := strings.CutSuffix(c.value, "/"+i.last()); ok {
				shared = append(shared, claim{p, c.rank, c.at})
			}
		}
		if len(claims[n]) == 0 {
			open = append(open, i.last())
		}
	}
	primary, more := d.primary(byCount(shared))
	what := "the registry, and the repository in it below which users find the images"
	if len(open) > 0 {
		what += "; nothing names " + listed(open)
	}
	if len(primary) == 0 && len(d.images) == 1 && len(open) == 1 {
		if primary, claims[0] = d.productNames(); len(primary) > 0 {
			open = nil
		}
	}
	value := ""
	if len(primary) > 0 || len(open) == len(d.images) {
		value = d.decide("destinations", what, primary)
	}
	host, rest, _ := strings.Cut(value, "/")
	d.names.registry = host
	if rest != "" {
		d.names.repository = rest + "/{{.Name}}"
	}
	for _, other := range more {
		if h, r, _ := strings.Cut(other, "/"); other != value && r == rest {
			d.otherRegistries = appendNew(d.otherRegistries, h)
		} else if other != value {
			d.leave("further repositories", "%s", other)
		}
	}
	for n, i := range d.images {
		if len(open) < len(d.images) || value == "" {
			d.ownName(n, i, value, claims[n])
		}
	}
	d.unbuilt(value)
}

// productNames are the repositories of images that have the product's name, where none has that
// of its only image: their parents, and complete.
func (d *Draft) productNames() (above, whole []claim) {
	for _, r := range d.allReferences() {
		if path.Base(r.repository) == d.repositoryName() {
			above = append(above, claim{path.Dir(r.repository), develops, r.at})
			whole = append(whole, claim{r.repository, develops, r.at})
		}
	}
	return byCount(above), byCount(whole)
}

// unbuilt asks for images that manifests name below the product's own, with the name of a main
// package, and that nothing builds.
func (d *Draft) unbuilt(prefix string) {
	for _, r := range d.allReferences() {
		last, ok := strings.CutPrefix(r.repository, prefix+"/")
		if _, isMain := d.main(last); r.rank.ofUsers() && ok && isMain && prefix != "" &&
			!slices.ContainsFunc(d.images, func(i image) bool { return i.last() == last }) {
			d.lacks("images["+last+"]", "what builds %s, which %s names: nothing here does", r.repository, r.at)
		}
	}
}

// primary makes the registries that a release pushes to one claim, that of the users' registry,
// and returns the others. Users that install from none of them are a contradiction.
func (d *Draft) primary(claims []claim) (primary []claim, others []string) {
	all := candidates(claims)
	var pushed []string
	for _, c := range all {
		if c.rank == publishes {
			pushed = append(pushed, c.value)
		}
	}
	if len(pushed) == 0 {
		return claims, nil
	}
	best, known := pushed[0], false
	for _, c := range claims {
		if c.rank.ofUsers() && !known && slices.Contains(pushed, c.value) {
			best, known = c.value, true
		}
	}
	contradicts := slices.ContainsFunc(claims, func(c claim) bool { return c.rank.ofUsers() }) && !known
	for _, c := range claims {
		switch {
		case c.value != best && c.rank == publishes && (path.Base(c.value) == path.Base(best) ||
			slices.ContainsFunc(claims, func(o claim) bool { return o.value == best && o.at == c.at })):
			others = appendNew(others, c.value) // a further registry
			continue
		case c.rank.ofUsers() && contradicts:
			c.rank = publishes
		}
		primary = append(primary, c)
	}
	return primary, others
}

// ownName gives an image a repository of its own, where what names it says another than that of all
// images, or nothing names it.
func (d *Draft) ownName(n int, i image, prefix string, claims []claim) {
	value := strings.TrimPrefix(prefix+"/"+i.last(), "/")
	usual := slices.ContainsFunc(claims, func(c claim) bool { return c.value == value })
	switch {
	case prefix == "" && len(claims) == 0:
		return // which is asked for
	case usual || len(claims) == 0 && i.base != "" && !d.hiddenNames[i.name]:
		if i.last() == i.name {
			return // names.repository says it
		}
	default:
		if len(claims) == 0 {
			claims = []claim{{value: value}}
		}
		value = d.decide("images["+i.name+"].repository",
			"the repository in which users find the image "+i.name, byCount(claims))
	}
	host, rest, _ := strings.Cut(value, "/")
	if d.names.registry == "" {
		d.names.registry = host
	}
	if host == d.names.registry {
		d.images[n].repository = rest
	}
}
