package sbom

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
)

// osPackages adds the packages of a distribution that an image has.
func (g *graph) osPackages(image string, list []lock.Package) {
	for _, p := range list {
		g.relate(image, contains, g.osPackage(p), "")
	}
}

// osPackage adds a package.
func (g *graph) osPackage(p lock.Package) string {
	c := component{
		kind: osPackage, name: p.Name, version: p.Version, license: g.license(p.Licenses), archive: true,
		purl: purl.Deb(p.Distribution, p.Name, p.Version, map[string]string{
			"arch": p.Architecture, "distro": distro(p), "upstream": upstream(p),
		}),
	}
	c.comment = strings.TrimSpace(fmt.Sprintf("package of %s %s", p.Distribution, p.Release))
	if p.Codename != "" {
		c.comment += " (" + p.Codename + ")"
	}
	c.id = id("Package", p.Name+"-"+p.Version+"-"+p.Architecture,
		strings.Join([]string{c.purl, c.sha256, c.download, p.Licenses, c.comment}, "\n"))
	return g.add(c)
}

// distro names the release of a distribution as syft does: debian-12.
func distro(p lock.Package) string {
	if p.Distribution == "" || p.Release == "" {
		return ""
	}
	return p.Distribution + "-" + p.Release
}

// upstream names the package of sources as syft does, where it is not the package itself.
func upstream(p lock.Package) string {
	switch {
	case p.SourceVersion != "":
		return p.SourceName() + "@" + p.SourceVersion
	case p.Source != "":
		return p.Source
	}
	return ""
}
