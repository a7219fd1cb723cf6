package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/report/changes"
)

// packaged is an image with packages of a Linux distribution.
type packaged struct {
	Image    string
	Packages []installed
}

// installed is a package, and its versions on the platforms of an image.
type installed struct{ Name, Versions string }

// packages lists the packages of each image.
func (p *page) packages(s sbom.Summary) {
	for _, image := range slices.Sorted(maps.Keys(s.Packages)) {
		one := packaged{Image: image}
		for _, name := range slices.Sorted(maps.Keys(s.Packages[image])) {
			one.Packages = append(one.Packages, installed{name, strings.Join(s.Packages[image][name], ", ")})
		}
		p.Packages = append(p.Packages, one)
	}
}

// with are the images that have one of the versions of a package.
func with(s sbom.Summary, name string, versions []string) (images []string) {
	for _, image := range slices.Sorted(maps.Keys(s.Packages)) {
		if slices.ContainsFunc(s.Packages[image][name], func(v string) bool { return slices.Contains(versions, v) }) {
			images = append(images, image)
		}
	}
	return images
}

// packagesMoved states how many packages of an image have changed.
func packagesMoved(old, now *Release, image string) []string {
	a, b := old.Packages[image], now.Packages[image]
	var added, removed, changed int
	for _, name := range changes.Names(a, b) {
		switch {
		case a[name] == nil:
			added++
		case b[name] == nil:
			removed++
		case !slices.Equal(a[name], b[name]):
			changed++
		}
	}
	if added+removed+changed == 0 {
		return nil
	}
	return []string{fmt.Sprintf("packages: %d changed, %d new, %d gone", changed, added, removed)}
}
