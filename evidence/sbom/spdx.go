package sbom

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/lock"
)

// SPDX returns the document of an image in SPDX 2.3 as JSON
// (https://spdx.github.io/spdx-spec/v2.3/), which describes the index, or the only manifest.
func SPDX(l *lock.Lock, v *lock.Inventory, image string) ([]byte, error) {
	i, ok := l.Image(image)
	if !ok || v == nil {
		return nil, fmt.Errorf("writing a bill of materials: the release has no image %q, or no inventory of it", image)
	}
	g := newGraph(l, v)
	top, err := g.image(i)
	if err != nil {
		return nil, fmt.Errorf("writing the bill of materials of %s: %w", image, err)
	}
	doc := g.spdx(top)
	doc.Name = l.Name + "/" + image + " " + g.components[top].version
	unique, err := identify(doc)
	if err != nil {
		return nil, err
	}
	doc.Namespace = "https://spdx.org/spdxdocs/" + notInID.ReplaceAllString(l.Name+"-"+image, "-") + "-" + unique
	return encode(doc)
}

// The types below are those of the JSON schema of SPDX 2.3, as far as they are needed.
type spdxDocument struct {
	Version       string            `json:"spdxVersion"`
	DataLicense   string            `json:"dataLicense"`
	ID            string            `json:"SPDXID"`
	Name          string            `json:"name"`
	Namespace     string            `json:"documentNamespace"`
	Creation      spdxCreation      `json:"creationInfo"`
	Packages      []spdxPackage     `json:"packages"`
	Relationships []spdxRelation    `json:"relationships"`
	Licenses      []spdxLicenseText `json:"hasExtractedLicensingInfos,omitempty"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
	Comment  string   `json:"comment"`
}

type spdxPackage struct {
	ID               string            `json:"SPDXID"`
	Name             string            `json:"name"`
	Version          string            `json:"versionInfo,omitempty"`
	FileName         string            `json:"packageFileName,omitempty"`
	Purpose          string            `json:"primaryPackagePurpose"`
	Supplier         string            `json:"supplier"`
	DownloadLocation string            `json:"downloadLocation"`
	FilesAnalyzed    bool              `json:"filesAnalyzed"`
	Checksums        []spdxChecksum    `json:"checksums,omitempty"`
	Homepage         string            `json:"homepage,omitempty"`
	Concluded        string            `json:"licenseConcluded"`
	Declared         string            `json:"licenseDeclared"`
	Copyright        string            `json:"copyrightText"`
	Comment          string            `json:"comment,omitempty"`
	References       []spdxExternalRef `json:"externalRefs,omitempty"`
}

type spdxChecksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type spdxExternalRef struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelation struct {
	From    string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	To      string `json:"relatedSpdxElement"`
	Comment string `json:"comment,omitempty"`
}

type spdxLicenseText struct {
	ID       string   `json:"licenseId"`
	Name     string   `json:"name"`
	Text     string   `json:"extractedText"`
	SeeAlsos []string `json:"seeAlsos,omitempty"`
}

const (
	noAssertion  = "NOASSERTION"
	spdxRef      = "SPDXRef-"
	spdxDocID    = spdxRef + "DOCUMENT"
	goSumRefType = "go.sum"
	creation     = "Made by slipway while it built the image, from the build information of programs, " +
		"the entries of layers, the database of dpkg and the lock of the release. Nothing was scanned. " +
		"The time is that of the release. " +
		"References of the type go.sum are the hashes that go.sum has (h1:), which are not digests of a file."
)

// spdx returns the document of the graph, which describes the component top.
func (g *graph) spdx(top string) *spdxDocument {
	doc := &spdxDocument{
		Version: "SPDX-2.3", DataLicense: "CC0-1.0", ID: spdxDocID,
		Creation:      spdxCreation{g.lock.Created.UTC().Format(time.RFC3339), []string{"Tool: slipway"}, creation},
		Relationships: []spdxRelation{{From: spdxDocID, Type: "DESCRIBES", To: spdxRef + top}},
	}
	for _, c := range g.sorted() {
		doc.Packages = append(doc.Packages, spdxOf(c))
	}
	for _, e := range g.sortedEdges() {
		doc.Relationships = append(doc.Relationships,
			spdxRelation{spdxRef + e.from, string(e.relation), spdxRef + e.to, e.comment})
	}
	for _, ref := range slices.Sorted(maps.Keys(g.licenses)) {
		l := g.licenses[ref]
		out := spdxLicenseText{ID: ref, Name: l.name, Text: l.text}
		if l.url != "" {
			out.SeeAlsos = []string{l.url}
		}
		doc.Licenses = append(doc.Licenses, out)
	}
	return doc
}

func spdxOf(c *component) spdxPackage {
	p := spdxPackage{
		ID: spdxRef + c.id, Name: c.name, Version: c.version, FileName: c.file, Purpose: kinds[c.kind].spdx,
		Supplier: noAssertion, DownloadLocation: noAssertion, Concluded: noAssertion, Declared: noAssertion,
		Copyright: noAssertion,
		Homepage:  c.source, Comment: c.comment,
	}
	if c.supplier != "" {
		p.Supplier = "Organization: " + c.supplier
	}
	if c.license != "" {
		p.Declared = c.license
	}
	if strings.Contains(c.download, "://") {
		p.DownloadLocation = c.download
	}
	for _, sum := range []spdxChecksum{{"SHA256", c.sha256}, {"SHA512", c.sha512}} {
		if sum.Value != "" {
			p.Checksums = append(p.Checksums, sum)
		}
	}
	for _, ref := range []spdxExternalRef{
		{"PACKAGE-MANAGER", "purl", c.purl},
		{"SECURITY", "cpe23Type", c.cpe},
		{"OTHER", goSumRefType, c.sum},
	} {
		if ref.Locator != "" {
			p.References = append(p.References, ref)
		}
	}
	return p
}
