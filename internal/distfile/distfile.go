// Package distfile is the table of the files that a release owns in its directory.
//
// Whoever writes, lists, packs, replaces or removes such a file has its name from here. A name
// that the table does not have belongs to another user or program, and no command touches it.
package distfile

import (
	"slices"
	"strings"
)

// The files that a release has once.
const (
	Lock             = "release.lock.json"
	Manifest         = "release.yaml"
	Page             = "index.html"
	Provenance       = "provenance.json"
	SignedProvenance = "provenance" + StatementSuffix
	Sums             = "SHA256SUMS"
	SumsBundle       = Sums + StatementSuffix
	SumsSignature    = Sums + ".sig"
	Program          = "bin/slipway"
	LinuxScript      = "load-images.sh"
	WindowsScript    = "load-images.ps1"
)

// The files by which commands pass on a release that is not complete.
const (
	Build   = "release.build.json"
	Part    = "release.part.json"
	Weights = "release.weights.json"
	// Journal names the files that may be there while a release is made, those of an earlier one
	// included. A complete release has no journal.
	Journal = ".release.files.json"
)

// The directories that a release has.
const (
	Programs = "bin"
	SBOMs    = "sbom"
)

// What the names of other files end with.
const (
	StatementSuffix = ".sigstore.json"
	InputsSuffix    = ".inputs.tar.gz"
	CycloneDXSuffix = ".cdx.json"
	SPDXSuffix      = ".spdx.json"
	BundleSuffix    = ".tar.zst"
	GzipSuffix      = ".tar.gz" // in place of BundleSuffix
	ListSuffix      = ".txt"
	DeltaSuffix     = ".delta"        // after the name of the bundle
	VolumesSuffix   = ".volumes.json" // in place of BundleSuffix
)

// Inputs returns the name of the archive of inputs of a release.
func Inputs(product, version string) string { return product + "-" + version + InputsSuffix }

// CycloneDX returns the name of the bill of materials of a release.
func CycloneDX(product, version string) string { return product + "-" + version + CycloneDXSuffix }

// SPDX returns the name of the bill of materials of an image.
func SPDX(image string) string { return SBOMs + "/" + image + SPDXSuffix }

// Chart returns the name of the archive of a chart.
func Chart(name, version string) string { return name + "-" + version + ".tgz" }

// Volumes returns the names of the lists of volumes of a bundle: the list, and that of a split that
// has not ended.
func Volumes(bundle string) []string {
	return []string{bundle + VolumesSuffix, "." + bundle + VolumesSuffix}
}

// Release is what the names of the files of a release are made of.
type Release struct {
	Product, Version string
	Images           []string // names in slipway.yaml
	Bundles          []string // names without suffix
	Charts           []string // names of files
	Artifacts        []string // names of files
}

// Names returns the names of all files that such a release may have in its directory, with slashes,
// sorted.
func (r Release) Names() []string {
	all := []string{
		Lock, Manifest, Page, Provenance, SignedProvenance, Sums, SumsBundle, SumsSignature, Program,
		LinuxScript, WindowsScript,
		Inputs(r.Product, r.Version), CycloneDX(r.Product, r.Version),
	}
	for _, i := range r.Images {
		all = append(all, SPDX(i))
	}
	for _, b := range r.Bundles {
		all = append(all, b+BundleSuffix, b+GzipSuffix, b+ListSuffix, b+BundleSuffix+DeltaSuffix)
		all = append(all, Volumes(b)...)
	}
	return tidy(slices.Concat(all, r.Charts, r.Artifacts))
}

// Added reports whether a file has a name that commands give what they add to a release that is
// complete: a delta, and a copy of release.yaml for another registry.
func Added(name string) bool {
	begin, end, _ := strings.Cut(Manifest, ".")
	return Local(name) && (strings.HasSuffix(name, BundleSuffix+DeltaSuffix) ||
		strings.HasPrefix(name, begin+".") && strings.HasSuffix(name, "."+end) && name != Manifest)
}

// PartNames returns the names of the files that a part of a release has, sorted.
func PartNames(artifacts []string) []string {
	return tidy(append([]string{Part, Weights}, artifacts...))
}

// Local reports whether a name may be one of the table: it is in the directory, or in one of its
// two directories.
func Local(name string) bool {
	dir, base, ok := strings.Cut(name, "/")
	if !ok {
		dir, base = "", name
	}
	return (dir == "" || dir == Programs || dir == SBOMs) && base != "" && base != "." && base != ".." &&
		!strings.ContainsAny(base, `/\`)
}

// tidy sorts names, and drops those that a file may not have: locks are made by others, too.
func tidy(names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return !Local(n) })
}
