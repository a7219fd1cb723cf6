package lint

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// IndexAllow is a finding about an image that is known and meant.
type IndexAllow struct {
	Pos    yamlfile.Pos // where the file says so
	Rule   string
	Image  string // a repository, or a reference with or without its digest; "" for all
	Entry  string // the platform of an entry, or its path, as findings name them; "" for all
	Reason string
}

// maxAllowed bounds a file of allowed findings.
var maxAllowed = yamlfile.Options{MaxBytes: 1 << 20, MaxValues: 50_000, MaxText: 1 << 20, MaxDepth: 10}

// ReadIndexAllow reads a file of findings that are allowed:
//
//	allow:
//	- rule: index-attestation
//	  image: ghcr.io/acme/app
//	  reason: our scanners read them
func ReadIndexAllow(path string) ([]IndexAllow, error) {
	var file struct {
		Allow []struct {
			Rule   string `yaml:"rule" jsonschema:"required"`
			Image  string `yaml:"image,omitempty"`
			Entry  string `yaml:"entry,omitempty"`
			Reason string `yaml:"reason" jsonschema:"required"`
		} `yaml:"allow" jsonschema:"required"`
	}
	text, err := yamlfile.ReadText(path, maxAllowed.MaxBytes)
	if err != nil {
		return nil, err
	}
	d := yamlfile.Decode(path, text, maxAllowed, &file)
	var all []IndexAllow
	for n := range file.Allow {
		a := &file.Allow[n]
		all = append(all, IndexAllow{d.Pos(&a.Rule), a.Rule, a.Image, a.Entry, a.Reason})
	}
	return all, d.Err()
}

// allowIndexes divides findings about images into allowed ones and the others, and adds the
// problems of the entries that allow them.
func (r *Report) allowIndexes(list []Finding, o IndexOptions) {
	var given []*allow
	for _, e := range o.Allow {
		given = append(given, &allow{
			pos: e.Pos, rule: e.Rule, reason: e.Reason, kind: "external", object: -1, given: e.covers,
		})
	}
	m := &manifests{}
	for _, f := range m.findings(r.sift(list, nil, given, !o.Partial)) {
		r.about(f.File)
		r.Findings = append(r.Findings, f)
	}
}

// covers reports whether an entry allows a finding.
func (a IndexAllow) covers(f Finding) bool {
	return a.Rule == f.Rule && (a.Entry == "" || a.Entry == f.Object || a.Entry == f.Path) &&
		(a.Image == "" || slices.Contains(names(f.Image), a.Image))
}

// names returns the names that an entry may use for the image of a finding: the same, the
// reference in an archive without the archive, its repository, and the part before a digest.
func names(image string) []string {
	all := []string{image}
	_, in, ok := strings.Cut(image, ": ")
	if !ok {
		in = image
	}
	if _, err := name.ParseReference(in); err != nil {
		return all
	}
	tagged, _, _ := strings.Cut(in, "@")
	repository := tagged
	if n := strings.LastIndex(tagged, ":"); n > strings.LastIndex(tagged, "/") {
		repository = tagged[:n]
	}
	return append(all, in, tagged, repository)
}
