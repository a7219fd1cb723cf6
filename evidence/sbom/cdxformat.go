package sbom

import (
	"path"
	"slices"
	"strings"
)

// The types below are those of the JSON schema of CycloneDX 1.6, as far as they are needed.
type cdxDocument struct {
	Schema       string           `json:"$schema"`
	Format       string           `json:"bomFormat"`
	SpecVersion  string           `json:"specVersion"`
	Serial       string           `json:"serialNumber,omitempty"`
	Version      int              `json:"version"`
	Metadata     cdxMetadata      `json:"metadata"`
	Components   []cdxComponent   `json:"components"`
	Dependencies []cdxDependency  `json:"dependencies"`
	Compositions []cdxComposition `json:"compositions,omitempty"`
}

type cdxMetadata struct {
	Timestamp    string           `json:"timestamp"`
	Lifecycles   []cdxPhase       `json:"lifecycles"`
	Tools        cdxTools         `json:"tools"`
	Component    cdxComponent     `json:"component"`
	Manufacturer *cdxOrganization `json:"manufacturer,omitempty"`
}

type cdxPhase struct {
	Phase string `json:"phase"`
}

type cdxTools struct {
	Components []cdxComponent `json:"components"`
}

type cdxOrganization struct {
	Name string   `json:"name,omitempty"`
	URL  []string `json:"url,omitempty"`
}

type cdxComponent struct {
	Type         string           `json:"type"`
	Ref          string           `json:"bom-ref,omitempty"`
	Manufacturer *cdxOrganization `json:"manufacturer,omitempty"`
	Name         string           `json:"name"`
	Version      string           `json:"version,omitempty"`
	Description  string           `json:"description,omitempty"`
	Scope        string           `json:"scope,omitempty"`
	Hashes       []cdxHash        `json:"hashes,omitempty"`
	Licenses     []cdxLicense     `json:"licenses,omitempty"`
	CPE          string           `json:"cpe,omitempty"`
	Purl         string           `json:"purl,omitempty"`
	References   []cdxReference   `json:"externalReferences,omitempty"`
	Properties   []cdxProperty    `json:"properties,omitempty"`
}

type cdxHash struct {
	Alg     string `json:"alg"`
	Content string `json:"content"`
}

// cdxLicense has an expression, or a license that SPDX's list lacks. A component has one.
type cdxLicense struct {
	License         *cdxNamed `json:"license,omitempty"`
	Expression      string    `json:"expression,omitempty"`
	Acknowledgement string    `json:"acknowledgement,omitempty"`
}

type cdxNamed struct {
	Name            string `json:"name"`
	URL             string `json:"url,omitempty"`
	Acknowledgement string `json:"acknowledgement"`
}

type cdxReference struct {
	Type   string    `json:"type"`
	URL    string    `json:"url"`
	Hashes []cdxHash `json:"hashes,omitempty"`
}

type cdxProperty struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type cdxDependency struct {
	Ref       string   `json:"ref"`
	DependsOn []string `json:"dependsOn,omitempty"`
}

type cdxComposition struct {
	Aggregate    string   `json:"aggregate"`
	Dependencies []string `json:"dependencies"`
}

func (g *graph) cdxOf(c *component) cdxComponent {
	out := cdxComponent{
		Type: kinds[c.kind].cyclonedx, Ref: c.id, Name: c.name, Version: c.version, Description: c.comment,
		CPE: c.cpe, Purl: c.purl, Hashes: hashes(c), Licenses: g.cdxLicenses(c.license),
		References: references(c), Properties: properties(c),
	}
	if c.kind == compiler {
		out.Scope = "excluded"
	}
	if c.supplier != "" || c.source != "" {
		out.Manufacturer = &cdxOrganization{Name: c.supplier}
		if c.source != "" {
			out.Manufacturer.URL = []string{c.source}
		}
	}
	return out
}

func hashes(c *component) (all []cdxHash) {
	for _, h := range []cdxHash{{"SHA-256", c.sha256}, {"SHA-512", c.sha512}} {
		if h.Content != "" {
			all = append(all, h)
		}
	}
	return all
}

func (g *graph) cdxLicenses(expression string) []cdxLicense {
	if expression == "" {
		return nil
	}
	if l, ok := g.licenses[expression]; ok {
		return []cdxLicense{{License: &cdxNamed{l.name, l.url, "declared"}}}
	}
	return []cdxLicense{{Expression: expression, Acknowledgement: "declared"}}
}

// references are where the sources and the file itself are.
func references(c *component) (all []cdxReference) {
	if c.source != "" && c.kind != base {
		all = append(all, cdxReference{Type: "vcs", URL: c.source})
	}
	if c.download != "" && !strings.HasPrefix(c.download, "git+") {
		all = append(all, cdxReference{Type: "distribution", URL: c.download, Hashes: hashes(c)})
	}
	return all
}

// sourceProperty is the name of the source of an image or a program.
const sourceProperty = "slipway:source"

// properties are those of BSI TR-03183-2, and the hash of go.sum.
func properties(c *component) []cdxProperty {
	pick := func(yes bool, a, b string) string {
		if yes {
			return a
		}
		return b
	}
	all := []cdxProperty{
		{"bsi:component:executable", pick(c.executable, "executable", "non-executable")},
		{"bsi:component:archive", pick(c.archive, "archive", "no archive")},
		{"bsi:component:structured", pick(c.archive, "structured", "unstructured")},
	}
	if c.file != "" {
		all = append(all, cdxProperty{"bsi:component:filename", path.Base(c.file)}, cdxProperty{"slipway:path", c.file})
	}
	if c.label != "" {
		all = append(all, cdxProperty{sourceProperty, c.label})
	}
	if c.sum != "" {
		all = append(all, cdxProperty{"slipway:go.sum", c.sum})
	}
	return all
}

func unique(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}

// tidy sorts the lists of a map, and removes duplicates.
func tidy[K comparable](all map[K][]string) {
	for k, list := range all {
		all[k] = unique(list)
	}
}
