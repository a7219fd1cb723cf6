package product

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/platform"
)

// Defaults of what slipway.yaml has under names.
const (
	defaultRepository = "{{.Product}}/{{.Name}}"
	defaultTag        = "{{.Version}}"
)

// nameFields is what templates of names may use.
type nameFields struct {
	Product, Name, Version, Major, Minor, Patch, Prerelease, Channel, Revision string

	Repository               string // of destinations only
	OS, Arch, WindowsRelease string // of platform tags only
}

var (
	imageFields = []string{
		"Product", "Name", "Version", "Major", "Minor", "Patch", "Prerelease",
		"Channel", "Revision",
	}
	placeFields    = append([]string{"Repository"}, imageFields...)
	platformFields = append([]string{"OS", "Arch", "WindowsRelease"}, imageFields...)
)

// imageNames fills in the names of all images: their repositories at each destination, and their
// tags. Two images, or two tags, that would claim one name are an error.
func (c *checker) imageNames(ctx context.Context) {
	claims := claims{}
	seen := map[string]bool{}
	for n := range c.in.Images {
		in, out := &c.in.Images[n], &c.out.Images[n]
		if !imagename.IsPart(in.Name) || !imagename.IsPart(c.out.Name) || seen[in.Name] {
			continue // that has been reported
		}
		seen[in.Name] = true
		if in.Version == fromGit {
			c.Errorf(&in.Version,
				"version git is for the product: take it out, and the image has the product's version")
			continue
		}
		if why := VersionFault(in.Version); why != "" {
			c.Errorf(&in.Version, "version %q %s", in.Version, why)
		}
		out.Version = cmp.Or(in.Version, c.out.Version)
		if !imagename.IsTag(out.Version) {
			continue // as above
		}
		t := &nameTemplates{
			checker: c, what: "image " + in.Name, source: out.Source, repository: &in.Repository,
			fields: c.nameFields(out),
		}
		t.readRevision(ctx, slices.Concat([]string{in.Repository, c.in.Names.Repository}, in.Tags,
			in.FloatingTags, in.PlatformTags, c.in.Names.Tags, c.in.Names.FloatingTags, c.in.Names.PlatformTags))
		out.Repositories, out.Elsewhere = t.repositories(defaultRepository, &c.in.Names.Repository)
		out.Tags = t.tags(c.templatesOf(&in.Tags, &c.in.Names.Tags, []string{defaultTag}), false)
		out.FloatingTags = t.tags(c.floatingTags(out.Version, in), true)
		out.PlatformTags = t.platformTags(c.templatesOf(&in.PlatformTags, &c.in.Names.PlatformTags, nil), out.Platforms,
			len(in.PlatformTags) > 0)
		if c.Given(&in.Tags) && len(in.Tags) == 0 {
			c.Errorf(&in.Tags, "image %s has no tag: give it one, or leave tags out", in.Name)
		}
		claims.add(c, &in.Name,
			claim{t.what, out.Repositories, out.Elsewhere, out.Tags, out.FloatingTags, out.PlatformTags})
	}
	c.chartNames(ctx, claims)
}

// templatesOf returns the templates of an image: its own, or those of all images, or the default.
// Its own may be empty.
func (c *checker) templatesOf(image, all *[]string, none []string) []string {
	switch {
	case c.Given(image):
		return *image
	case c.Given(all):
		return *all
	}
	return none
}

// nameFields returns the values for the templates of an image.
func (c *checker) nameFields(i *Image) nameFields {
	f := nameFields{Product: c.out.Name, Name: i.Name, Version: i.Version, Channel: c.out.Channel}
	if v := withV(i.Version); semver.IsValid(v) {
		core, _, _ := strings.Cut(strings.TrimPrefix(semver.Canonical(v), "v"), "-")
		parts := strings.Split(core, ".")
		f.Major, f.Minor, f.Patch, f.Prerelease = parts[0], parts[1], parts[2],
			strings.TrimPrefix(semver.Prerelease(v), "-")
	}
	if i.Source != "" {
		f.Revision = c.out.Source(i.Source).Revision
	}
	return f
}

// nameTemplates evaluates the templates of one image or chart.
type nameTemplates struct {
	*checker

	what       string  // image app
	source     string  // name of a source; may be empty
	repository *string // its own template of the repository
	fields     nameFields
	noRevision error // why fields has no Revision
}

var (
	versionParts = lazyregexp.New(`\.(?:Major|Minor|Patch|Prerelease)\b`)
	revisionPart = lazyregexp.New(`\.Revision\b`)
)

// expand evaluates one template, which is at the address s.
func (t *nameTemplates) expand(s *string, data nameFields, fields []string) (string, bool) {
	switch {
	case data.Major == "" && versionParts.MatchString(*s):
		t.Errorf(s, "%s: %s takes parts of a semantic version, and %q is none: "+
			"use {{.Version}}, or a version such as 1.2.3", t.what, *s, data.Version)
		return "", false
	case data.Revision == "" && revisionPart.MatchString(*s):
		t.Errorf(s, "%s: %s needs the commit of the image's source, which %v",
			t.what, *s, cmp.Or(t.noRevision, errNoRevision))
		return "", false
	}
	text, err := expand(*s, data, fields, nil)
	if err != nil {
		t.Errorf(s, "%v", err)
		return "", false
	}
	return text, true
}

// given returns the address of the first text that is not empty, and else of the last.
func given(texts ...*string) *string {
	n := slices.IndexFunc(texts, func(s *string) bool { return s != nil && *s != "" })
	if n < 0 {
		n = len(texts) - 1
	}
	return texts[n]
}

// repositories returns the path of the repository at each destination, and the repositories at
// those that this run does not publish to. Without a template of its own, that is the one of
// other destinations, or the usual one.
func (t *nameTemplates) repositories(usual string, others *string) (at, elsewhere []string) {
	s := given(t.repository, others, &usual)
	path, ok := t.expand(s, t.fields, imageFields)
	if !ok || !t.isRepository(s, path, "registry.example") {
		return nil, nil
	}
	for _, d := range t.unselected {
		if at, ok := t.repositoryAt(s, path, d); ok {
			elsewhere = append(elsewhere, d.Registry+"/"+at)
		}
	}
	if len(t.out.Destinations) == 0 {
		return []string{path}, elsewhere
	}
	for n, d := range t.out.Destinations {
		one, ok := t.repositoryAt(s, path, destination{d, t.checker.repositories[n]})
		if !ok {
			return nil, elsewhere
		}
		at = append(at, one)
	}
	return at, elsewhere
}

// repositoryAt returns the path at a destination of the repository that s yields as path.
func (t *nameTemplates) repositoryAt(s *string, path string, d destination) (string, bool) {
	if d.repository != nil {
		data := t.fields
		data.Repository = path
		var ok bool
		if path, ok = t.expand(d.repository, data, placeFields); !ok {
			return "", false
		}
		s = d.repository
	}
	return path, t.isRepository(s, path, d.Registry)
}

// isRepository reports whether a path that a template yielded is one of a repository.
func (t *nameTemplates) isRepository(s *string, path, registry string) bool {
	if imagename.CheckRegistry(registry) != nil {
		return true // that has been reported
	}
	err := imagename.CheckRepository(registry + "/" + path)
	if err != nil {
		t.Errorf(s, "%s: %q yields the repository %q: %v", t.what, *s, path, err)
	}
	return err == nil
}

// tags returns the tags that templates yield. A template of floating tags may yield none, and never
// a full version.
func (t *nameTemplates) tags(templates []string, floating bool) []string {
	var all []string
	for n := range templates {
		if templates[n] == "" {
			continue
		}
		tag, ok := t.expand(&templates[n], t.fields, imageFields)
		if !ok || tag == "" && floating || !t.isTag(&templates[n], tag) {
			continue
		}
		if floating && imagetag.IsFull(tag) {
			t.Errorf(&templates[n], "%s: %s is a full version, which never moves: "+
				"give it by tags, or a part of the version, such as {{.Major}}.{{.Minor}}", t.what, tag)
			continue
		}
		all = append(all, tag)
	}
	return all
}

// isTag reports whether a text that a template yielded is a tag.
func (t *nameTemplates) isTag(s *string, tag string) bool {
	if imagename.IsTag(tag) {
		return true
	}
	t.Errorf(s, "%s: %q yields %q, which is not a tag: use letters, digits, . _ and -, at most 128 in all",
		t.what, *s, tag)
	return false
}

// platformTags returns the tags that templates yield for platforms. Platforms of one tag share it.
// Each of an image's own templates must yield one.
func (t *nameTemplates) platformTags(templates []string, platforms []platform.Platform, own bool) []PlatformTag {
	var all []PlatformTag
	for n := range templates {
		if templates[n] == "" {
			continue
		}
		first, tried := len(all), true
		for _, p := range platforms {
			data := t.fields
			data.OS, data.Arch = p.OS, p.Architecture+p.Variant
			if p.OS == platform.Windows {
				data.WindowsRelease = platform.Release(p.OSVersion)
			}
			tag, ok := t.expand(&templates[n], data, platformFields)
			if tried = ok && (tag == "" || t.isTag(&templates[n], tag)); !tried {
				break
			}
			if tag != "" {
				all = addPlatform(all, first, tag, p)
			}
		}
		if tried && first == len(all) && len(platforms) > 0 && own {
			t.Errorf(&templates[n], "%s: %q yields no tag for any platform of the image: take it out",
				t.what, templates[n])
		}
	}
	return all
}

// addPlatform adds a platform to a tag among all[first:], or a new tag.
func addPlatform(all []PlatformTag, first int, tag string, p platform.Platform) []PlatformTag {
	for n := range all[first:] {
		if one := &all[first+n]; one.Tag == tag {
			one.Platforms = append(one.Platforms, p)
			return all
		}
	}
	return append(all, PlatformTag{tag, []platform.Platform{p}})
}
