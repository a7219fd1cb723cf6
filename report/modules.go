package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/evidence/sbom"
)

// several is a module of which a release has several versions.
type several struct {
	Path     string
	Versions []version
}

// version is a version of a module, and the images that have it.
type version struct{ Version, Images string }

// license is a license, and what declares it.
type license struct {
	Name  string // SPDX expression; "" for those that declare none
	Count int
	Names string
}

// maxNamed is how many images or components a cell names.
const maxNamed = 20

// modules sums up the bill of materials.
func (p *page) modules(s sbom.Summary) {
	p.ModuleCount = len(s.Modules)
	for _, path := range slices.Sorted(maps.Keys(s.Modules)) {
		if len(s.Modules[path]) == 1 {
			continue
		}
		m := several{Path: path}
		for _, v := range s.Modules[path] {
			m.Versions = append(m.Versions, version{v, some(s.Images[[2]string{path, v}])})
		}
		p.Modules = append(p.Modules, m)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Licenses)) {
		p.Licenses = append(p.Licenses, license{name, len(s.Licenses[name]), some(s.Licenses[name])})
	}
}

// some names the first of a list, and how many more there are.
func some(list []string) string {
	if n := len(list) - maxNamed; n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(list[:maxNamed], ", "), n)
	}
	return strings.Join(list, ", ")
}
