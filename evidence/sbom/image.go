package sbom

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// image adds an image with everything below it, and returns its id.
func (g *graph) image(i lock.Image) (string, error) {
	if !i.MediaType.IsIndex() {
		if len(i.Children) != 1 {
			return "", fmt.Errorf("%s has %d manifests and no index", i.Name, len(i.Children))
		}
		return g.child(i, i.Children[0])
	}
	top := g.add(component{
		id: "Index-" + i.Digest.Hex, kind: index, name: i.Repository, sha256: i.Digest.Hex,
		purl:    purl.OCI(i.Repository, i.Digest.String(), map[string]string{"tag": tag(i)}),
		comment: "index of image " + i.Name, archive: true, known: true,
	})
	for _, c := range i.Children {
		child, err := g.child(i, c)
		if err != nil {
			return "", err
		}
		whole, like := g.components[top], g.components[child]
		whole.version, whole.license, whole.source, whole.label = like.version, like.license, like.source, like.label
		g.relate(top, contains, child, "")
		g.relate(child, variantOf, top, "")
	}
	return top, nil
}

// declared returns the licenses that sources declare, and the address of their repository. There
// are none if one of the sources is not known or declares none, and no address of several.
func (g *graph) declared(sources ...string) (license, url string) {
	var all []string
	for n, name := range unique(sources) {
		s := g.source(name)
		if url = s.URL; n > 0 {
			url = ""
		}
		all = append(all, g.license(s.Licenses))
	}
	if slices.Contains(all, "") {
		return "", url
	}
	all = unique(all)
	for n, l := range all {
		if len(all) > 1 && strings.Contains(l, " OR ") {
			all[n] = "(" + l + ")"
		}
	}
	return strings.Join(all, " AND "), url
}

func tag(i lock.Image) string {
	if len(i.Tags) == 0 {
		return ""
	}
	return i.Tags[0]
}

// child adds the manifest for one platform.
func (g *graph) child(i lock.Image, c lock.Child) (string, error) {
	has, ok := g.inventory.Content(c.Digest)
	if !ok {
		return "", fmt.Errorf("the inventory lacks %s for %s: build it again", i.Name, c.Platform)
	}
	comment := fmt.Sprintf("image %s for %s", i.Name, c.Platform)
	if len(c.ExtraOS) > 0 {
		comment += fmt.Sprintf("; its layers have files for %s, each system in a layer of its own",
			strings.Join(c.ExtraOS, " and "))
	}
	version := cmp.Or(has.Version, g.lock.Version)
	known := c.Base == nil || strings.HasPrefix(c.Base.Name, builtin)
	if t := c.Prebuilt; t != nil {
		comment += fmt.Sprintf("; taken as another builder made it, from %s: the packages and the Go programs that "+
			"its layers have are listed", t.From)
		known, version = false, cmp.Or(t.Version, version)
	}
	s := g.source(has.Source)
	child := g.add(component{
		id: "Image-" + c.Digest.Hex, kind: manifest, name: i.Repository, version: version,
		sha256:  c.Digest.Hex,
		purl:    purl.OCI(i.Repository, c.Digest.String(), qualifiers(c.Platform, tag(i))),
		license: g.license(s.Licenses), source: s.URL, label: s.Name,
		comment: comment, archive: true, known: known,
	})
	for _, f := range g.namesFirst(has.Files) {
		g.relate(child, contains, g.contained(f), f.Path)
	}
	g.osPackages(child, has.Packages)
	if c.Base != nil {
		parent := g.base(*c.Base, c.Platform)
		g.relate(child, descendantOf, parent, "")
		if b := g.components[parent]; len(has.Packages) > 0 {
			b.comment = strings.Replace(b.comment, notListed, packagesListed, 1)
		}
	}
	for _, b := range c.CopiedFrom {
		g.relate(g.base(b, c.Platform), buildDependency, child, "files were copied from it")
	}
	return child, nil
}

func qualifiers(p platform.Platform, tag string) map[string]string {
	return map[string]string{
		"arch": p.Architecture, "os": p.OS, "os.version": p.OSVersion, "variant": p.Variant,
		"tag": tag,
	}
}

const builtin = "builtin:"

// notListed describes a third-party image, and packagesListed one whose packages are known from an
// image that is built on it.
const (
	notListed      = "what it consists of is not listed here"
	packagesListed = "its packages are listed with those of the images on it"
)

// base adds a third-party image. p is the platform of the image that uses it.
func (g *graph) base(b lock.Base, p platform.Platform) string {
	c := component{
		id: id("Base", b.Name, b.Name+" "+b.Digest.String()), kind: base, name: b.Name, version: p.OSVersion,
		sha256: b.Digest.Hex,
	}
	facts, _ := g.inventory.Base(b.Digest)
	c.version, c.license = cmp.Or(facts.Version, c.version), g.license(facts.Licenses)
	if own, ok := strings.CutPrefix(b.Name, builtin); ok {
		c.purl = purl.Generic("slipway-"+own, "", b.Digest.String())
		c.comment, c.known = "a base that slipway makes; its files are listed with those of the images on it, "+
			"and of the time zones the text that they are made from", true
		return g.add(c)
	}
	if imagename.IsFile(b.Name) {
		c.comment = fmt.Sprintf("%s for %s, as another builder made it; %s", b.Name, p, notListed)
		return g.add(c)
	}
	ref, err := name.ParseReference(reference(b.Name))
	if err != nil {
		return g.add(c)
	}
	repository := ref.Context().Name()
	c.name = repository
	c.comment = fmt.Sprintf("%s for %s; %s", b.Name, p, notListed)
	digest := b.Digest.String()
	if b.Stub {
		c.sha256, digest = "", ""
		c.comment = fmt.Sprintf("STUB: this snapshot was made without %s. A stub replaces it for %s, which cannot run",
			b.Name, p)
	}
	_, version, _ := strings.Cut(path.Base(reference(b.Name)), ":")
	c.version = cmp.Or(c.version, version)
	c.purl = purl.OCI(repository, digest, qualifiers(p, version))
	if isWindowsBase(repository) {
		c.supplier, c.license = "Microsoft", g.windowsLicense()
	}
	return g.add(c)
}

// reference returns a reference without its digest.
func reference(name string) string {
	before, _, _ := strings.Cut(name, "@")
	return before
}
