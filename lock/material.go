package lock

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Material is an input of a release that its lock does not name, with its digests. The provenance
// lists materials; parts include them for the machine that makes the provenance.
type Material struct {
	URI string `json:"uri"` // a purl, git+https://…, source:NAME, or a file of the release
	// SHA256 and DirHash are hex: of a file, and of the files of a Go module
	// (golang.org/x/mod/sumdb/dirhash, Hash1). GitCommit is set if the content is that commit.
	SHA256    string `json:"sha256,omitempty"`
	DirHash   string `json:"dirHash,omitempty"`
	GitCommit string `json:"gitCommit,omitempty"`
	// Content is the input itself in base64 (RFC 4648, with padding): a document of a base, whose
	// SHA256 is that of these bytes. "" where only hashes travel.
	Content string `json:"content,omitempty"`
	Name    string `json:"name,omitempty"` // of a source, as in slipway.yaml
	// Path is that of a directory source in its git repository or in the archive of inputs.
	Path string `json:"path,omitempty"`
	// Own reports whether a directory source is in the product's own repository.
	Own bool `json:"own,omitempty"`
	// Revision is the commit that a source declares, and Created its time.
	Revision string    `json:"revision,omitempty"`
	Created  time.Time `json:"created,omitzero"`
	// Proven reports whether the content was compared with the commit.
	Proven bool `json:"proven,omitempty"`
	// Local reports that nothing but this machine knows the bytes.
	Local bool `json:"local,omitempty"`
}

// SortMaterials sorts materials by URI and name.
func SortMaterials(list []Material) {
	slices.SortFunc(list, func(a, b Material) int {
		return cmp.Or(cmp.Compare(a.URI, b.URI), cmp.Compare(a.Name, b.Name))
	})
}

// SameMaterials returns the materials of two lists, sorted. Those of one URI and name must be the
// same. A module whose revision was proven in one list is proven; a directory only if it was in
// both: each part was made from files of its own.
func SameMaterials(a, b []Material) ([]Material, error) {
	all := slices.Clone(a)
	same := func(a, b Material) bool { return a.URI == b.URI && a.Name == b.Name }
	if err := addAll(&all, b, same, (*Material).join); err != nil {
		return nil, err
	}
	SortMaterials(all)
	return all, nil
}

func (m *Material) join(o Material) error {
	if m.declared() != o.declared() || m.GitCommit != "" && o.GitCommit != "" && m.GitCommit != o.GitCommit {
		return fmt.Errorf("%s is %s in one part and %s in another: make all parts from the same inputs",
			o.Title(), m.Identity(), o.Identity())
	}
	switch {
	case o.DirHash == "":
		m.Proven = m.Proven && o.Proven
	case o.Proven:
		*m = o
	}
	return nil
}

// declared returns the material without what a comparison with a repository adds.
func (m Material) declared() Material {
	if m.DirHash != "" {
		m.GitCommit = ""
	}
	m.Proven, m.Created = false, m.Created.UTC()
	return m
}

// Title names the material in messages.
func (m Material) Title() string {
	if m.Name != "" {
		return "source " + m.Name
	}
	return m.URI
}

// Identity returns what distinguishes the material from others of its URI.
func (m Material) Identity() string {
	switch {
	case m.SHA256 != "":
		return "sha256:" + m.SHA256
	case m.GitCommit != "":
		return "commit " + m.GitCommit
	case m.DirHash != "":
		return "the module with hash " + m.DirHash
	case m.Revision != "":
		return "revision " + m.Revision
	}
	return "not known by a hash"
}
