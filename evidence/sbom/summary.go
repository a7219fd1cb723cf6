package sbom

import (
	"fmt"
	"io"
	"strings"

	"github.com/slipway-dev/slipway/internal/plainjson"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lock"
)

// maxRead bounds in bytes a bill of materials that is read.
const maxRead = 256 << 20

// Summary is the bill of materials of a release in short.
type Summary struct {
	// Modules are the versions of the Go modules in programs, by module path and sorted; nil if
	// they are not known.
	Modules map[string][]string
	// Images are the names of the images that have a module, by its path and version, sorted.
	Images map[[2]string][]string
	// Packages are the versions of the packages of distributions in an image, by its name and that
	// of the package, sorted. Images without packages are omitted.
	Packages map[string]map[string][]string
	// Sources are the sorted names of the sources of an image: that of its labels, and those of the
	// programs in it.
	Sources map[string][]string
	// Licenses are the names of the images, programs and modules that declare a license, by its
	// SPDX expression and sorted. Those of "" declare none.
	Licenses map[string][]string
}

// Read sums up the document that [CycloneDX] made of a release, in a file.
func Read(path string, l *lock.Lock) (Summary, error) {
	f, err := regular.Open(path)
	if err != nil {
		return Summary{}, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxRead+1))
	if err != nil {
		return Summary{}, fmt.Errorf("reading %s: %w", path, err)
	}
	if len(text) > maxRead {
		return Summary{}, fmt.Errorf("%s has more than %d MiB, which no bill of materials has", path, maxRead>>20)
	}
	s, err := Summarize(text, l)
	if err != nil {
		return Summary{}, fmt.Errorf("%s is not a bill of materials in CycloneDX: %w", path, err)
	}
	return s, nil
}

// Summarize sums up the document that [CycloneDX] made of a release.
func Summarize(text []byte, l *lock.Lock) (Summary, error) {
	var doc cdxDocument
	if err := plainjson.Decode(text, &doc); err != nil {
		return Summary{}, err
	}
	if doc.Format != "CycloneDX" {
		return Summary{}, fmt.Errorf("its bomFormat is %.40q", doc.Format)
	}
	s := Summary{
		Modules: map[string][]string{}, Images: map[[2]string][]string{}, Sources: map[string][]string{},
		Licenses: map[string][]string{}, Packages: map[string]map[string][]string{},
	}
	packages := map[string]cdxComponent{}                           // by bom-ref
	modules, sources := map[string][2]string{}, map[string]string{} // by bom-ref
	for _, c := range doc.Components {
		if c.Type != kinds[file].cyclonedx && c.Scope == "" {
			s.Licenses[c.license()] = append(s.Licenses[c.license()], c.Name)
		}
		if c.Type == kinds[module].cyclonedx && strings.HasPrefix(c.Purl, "pkg:golang/") {
			s.Modules[c.Name] = append(s.Modules[c.Name], c.Version)
			modules[c.Ref] = [2]string{c.Name, c.Version}
		}
		if strings.HasPrefix(c.Purl, "pkg:deb/") {
			packages[c.Ref] = c
		}
		for _, p := range c.Properties {
			if p.Name == sourceProperty {
				sources[c.Ref] = p.Value
			}
		}
	}
	tidy(s.Modules)
	tidy(s.Licenses)
	images(doc.Dependencies, l, func(image, ref string) {
		if m, ok := modules[ref]; ok {
			s.Images[m] = append(s.Images[m], image)
		}
		if name := sources[ref]; name != "" {
			s.Sources[image] = append(s.Sources[image], name)
		}
		if p, ok := packages[ref]; ok {
			s.addPackage(image, p)
		}
	})
	tidy(s.Images)
	tidy(s.Sources)
	for _, all := range s.Packages {
		tidy(all)
	}
	return s, nil
}

// license returns the expression or the name that a component declares.
func (c cdxComponent) license() string {
	switch {
	case len(c.Licenses) == 0:
		return ""
	case c.Licenses[0].License != nil:
		return c.Licenses[0].License.Name
	}
	return c.Licenses[0].Expression
}

// addPackage adds a package of a distribution that an image has.
func (s *Summary) addPackage(image string, p cdxComponent) {
	if s.Packages[image] == nil {
		s.Packages[image] = map[string][]string{}
	}
	s.Packages[image][p.Name] = append(s.Packages[image][p.Name], p.Version)
}

// images follows the dependencies of every manifest to all that it contains, and calls visit with
// the name of its image.
func images(all []cdxDependency, l *lock.Lock, visit func(image, ref string)) {
	needs := map[string][]string{}
	for _, d := range all {
		needs[d.Ref] = d.DependsOn
	}
	for _, i := range l.Images {
		var todo []string
		for _, c := range i.Children {
			todo = append(todo, "Image-"+c.Digest.Hex)
		}
		for seen := map[string]bool{}; len(todo) > 0; {
			ref := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if seen[ref] {
				continue
			}
			seen[ref] = true
			visit(i.Name, ref)
			todo = append(todo, needs[ref]...)
		}
	}
}
