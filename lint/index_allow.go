package lint

import (
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// IndexAllow is a finding about an image that is known and meant.
type IndexAllow struct {
	Pos    yamlfile.Pos // where the file says so
	Rule   string
	Image  string // a repository, or a reference as findings name it; "" for all
	Entry  string // the platform of an entry, as findings name it; "" for all
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

// allowIndexes divides findings about images into those that are allowed and the others, and adds
// what is wrong with what allows them.
func (r *Report) allowIndexes(list []Finding, entries []IndexAllow) {
	var given []*allow
	for _, e := range entries {
		given = append(given, &allow{
			pos: e.Pos, rule: e.Rule, reason: e.Reason, kind: "external", object: -1, given: e.covers,
		})
	}
	m := &manifests{}
	for _, f := range m.findings(r.sift(list, nil, given, true)) {
		r.about(f.File)
		r.Findings = append(r.Findings, f)
	}
}

// covers reports whether an entry allows a finding.
func (a IndexAllow) covers(f Finding) bool {
	return a.Rule == f.Rule && (a.Entry == "" || a.Entry == f.Object) &&
		(a.Image == "" || a.Image == f.Image || a.Image == repository(f.Image))
}

// repository returns the repository of an image as findings name it: that of a reference, or of the
// reference in an archive; "" if it has none.
func repository(image string) string {
	_, in, ok := strings.Cut(image, ": ")
	if !ok {
		in = image
	}
	ref, err := name.ParseReference(in)
	if err != nil {
		return ""
	}
	before, _, _ := strings.Cut(in, "@")
	return strings.TrimSuffix(before, ":"+tagOf(ref))
}

// tagOf returns the tag of a reference; "" if it has none.
func tagOf(ref name.Reference) string {
	if t, ok := ref.(name.Tag); ok {
		return t.TagStr()
	}
	return ""
}
