package evidence

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/platform"
)

// Report lists the verified contents and signers of a release, and everything that was not
// verified.
type Report struct {
	Product string    `json:"product"`
	Version string    `json:"version"`
	Created time.Time `json:"created"`
	// Signers vouch for everything that is counted below, and are at least as many as the policy
	// requires.
	Signers   []Signer `json:"signers"`
	Threshold int      `json:"threshold"`
	Images    Count    `json:"images"`
	Charts    Count    `json:"charts"`
	// Manifests is how many manifests of platforms are included and were compared.
	Manifests int `json:"manifests"`
	// SBOMs is how many of the indexes and manifests have an SBOM that a key has signed.
	SBOMs Count `json:"sboms"`
	// Files are those of a directory that the signed checksums list; nil without a directory.
	Files *Files `json:"files,omitempty"`
	// Absent are the images and charts of the release that are not here.
	Absent []string `json:"absent,omitempty"`
	// ThirdParty are the third-party images. The statement lists their digests; nothing proves who
	// made them.
	ThirdParty []string `json:"thirdParty,omitempty"`
	// Floating are floating tags here, which the release may have: a newer one may have them, too.
	Floating []string `json:"floating,omitempty"`
	// Omitted are the third-party images that the release omits, by the statement.
	Omitted []string `json:"omitted,omitempty"`
	// Declared are inputs whose revision was not compared with their repository.
	Declared []string `json:"declared,omitempty"`
	// Local are inputs that were not compared with a public record, such as the toolchain.
	Local []string `json:"local,omitempty"`
	// Foreign counts Sigstore bundles of other keys, which were not verified.
	Foreign int `json:"foreign"`
	// Others counts referrers of the images that are not Sigstore bundles, such as older forms of
	// signatures, which were not verified either.
	Others []TypeCount `json:"others,omitempty"`
	// Since is the release that the operator named as the oldest one allowed.
	Since *Floor `json:"since,omitempty"`

	// Statement is the signed statement. Its text is that of the signers.
	Statement *provenance.Statement `json:"-"`
}

// Signer is a key, and who built by the account of its statement.
type Signer struct {
	Key     string `json:"key"` // fingerprint
	Builder string `json:"builder"`
	// Statement is the digest of the Sigstore bundle; zero for that of a file.
	Statement v1.Hash `json:"statement,omitzero"`
}

// Count is how many of how many.
type Count struct {
	Have int `json:"have"`
	Of   int `json:"of"`
}

// TypeCount is how many artifacts have a type.
type TypeCount struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// newReport describes what the signed statements cover.
func newReport(all []Material, p Policy, r *reader, by []signedStatement) *Report {
	st := by[0].Statement
	rep := describe(p, r, by)
	have := map[string]bool{}   // subjects, by digest
	wanted := map[string]bool{} // whether an SBOM is due
	for _, m := range all {
		for _, i := range m.Images {
			if _, ok := st.Subject(i.Digest().Hex); !ok {
				if name := i.Name; !slices.Contains(rep.ThirdParty, name) {
					rep.ThirdParty = append(rep.ThirdParty, name)
				}
				continue
			}
			if floats(st, i.Name) && !slices.Contains(rep.Floating, i.Name) {
				rep.Floating = append(rep.Floating, i.Name)
			}
			have[i.Digest().Hex], wanted[i.Digest().Hex] = true, !i.Chart
			for _, c := range i.Included() {
				have[c.Desc.Digest.Hex], wanted[c.Desc.Digest.Hex] = true, !i.Chart
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.others)) {
		rep.Others = append(rep.Others, TypeCount{name, r.others[name]})
	}
	for h, due := range wanted {
		if !due {
			continue
		}
		rep.SBOMs.Of++
		if r.sboms[v1.Hash{Algorithm: "sha256", Hex: h}] {
			rep.SBOMs.Have++
		}
	}
	rep.count(st, all, have)
	return rep
}

// CheckSame checks that another report is of the same release.
func (r *Report) CheckSame(other *Report) error { return agree(r.Statement, other.Statement) }

// floats reports whether a name floats by a statement.
func floats(st *provenance.Statement, name string) bool {
	return slices.ContainsFunc(st.Subjects, func(s provenance.Subject) bool {
		return slices.Contains(s.Annotations.Floating, name)
	})
}

// describe returns the part of a report that follows from the signed statements alone.
func describe(p Policy, read *reader, by []signedStatement) *Report {
	st := by[0].Statement
	par := st.Predicate.BuildDefinition.ExternalParameters
	r := &Report{
		Product: par.Name, Version: par.Version, Created: par.Created, Threshold: p.threshold(),
		Foreign: read.foreign, Omitted: par.Omitted, Statement: st,
	}
	for _, s := range by {
		r.Signers = append(r.Signers, Signer{s.key.Fingerprint(), s.Predicate.RunDetails.Builder.ID, s.blob})
	}
	for _, d := range st.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Annotations.Revision != "" && !d.Annotations.Proven {
			r.Declared = append(r.Declared, d.URI)
		}
		if d.Annotations.Local {
			r.Local = append(r.Local, d.URI)
		}
	}
	return r
}

// count compares the materials with the subjects of the statement. An image counts if the materials
// have its index, or its only manifest, or for an extracted image one of its manifests.
func (r *Report) count(st *provenance.Statement, all []Material, have map[string]bool) {
	children := map[string]bool{} // indexes of which a manifest is here
	for _, s := range st.Subjects {
		if have[s.Digest.SHA256] {
			for _, h := range s.Annotations.Index {
				children[h] = true
			}
			if s.Annotations.Kind == provenance.KindManifest {
				r.Manifests++
			}
		}
	}
	for _, s := range st.Subjects {
		c := &r.Images
		switch {
		case s.Annotations.Kind == provenance.KindChart:
			c = &r.Charts
		case s.Annotations.Kind != provenance.KindIndex &&
			(s.Annotations.Kind != provenance.KindManifest || len(s.Annotations.Index) > 0):
			continue
		}
		c.Of++
		switch {
		case have[s.Digest.SHA256] || children[s.Digest.SHA256]:
			c.Have++
		case expected(s, st, all):
			r.Absent = append(r.Absent, s.Name)
		default:
			c.Of-- // for nodes of other platforms
		}
	}
}

// expected reports whether one of the materials could have an image: a bundle for one platform has
// only indexes that have a manifest for that.
func expected(s provenance.Subject, st *provenance.Statement, all []Material) bool {
	for _, m := range all {
		if m.Platform.IsZero() {
			return true
		}
		if s.Annotations.Kind != provenance.KindIndex {
			continue
		}
		for _, c := range st.Subjects {
			p, err := platform.Parse(c.Annotations.Platform)
			if slices.Contains(c.Annotations.Index, s.Digest.SHA256) && (err != nil || platform.Same(p, m.Platform)) {
				return true
			}
		}
	}
	return false
}

// CheckFile checks that a file is one of the release: a release.yaml whose images are about to get
// other names.
func (r *Report) CheckFile(path string) error {
	text, err := readFile(path, maxSums)
	if err != nil {
		return err
	}
	s, ok := r.Statement.Subject(hashOf(text).Hex)
	if !ok || s.Annotations.Kind != provenance.KindFile {
		return fmt.Errorf("%s is not a file of the signed release %s: it was changed, or is of another release",
			path, release(r.Product, r.Version, r.Created))
	}
	return nil
}

// Tell prints a line with the verified release for each signer, before the release is used.
func (r *Report) Tell(pr *progress.Printer) {
	for _, s := range r.Signers {
		pr.Printf("verified: %s %s, signed by %s", output.Line(r.Product), output.Line(r.Version), s.Key)
	}
}

// WriteTable writes the report for a person: one fact per line.
func (r *Report) WriteTable(w io.Writer) error {
	var b strings.Builder
	line := func(format string, args ...any) { output.Fprintf(&b, format+"\n", args...) }
	line("verified: %s %s of %s, keys that signed: %d, needed: %d", r.Product,
		r.Version, r.Created.UTC().Format(time.RFC3339), len(r.Signers), r.Threshold)
	for _, s := range r.Signers {
		line("key: %s, builder %s", s.Key, s.Builder)
	}
	if r.Images.Of > 0 {
		line("images: %d of %d, %d manifests", r.Images.Have, r.Images.Of, r.Manifests)
	}
	if r.Charts.Of > 0 {
		line("charts: %d of %d", r.Charts.Have, r.Charts.Of)
	}
	if r.SBOMs.Of > 0 {
		line("SBOMs: %d of %d", r.SBOMs.Have, r.SBOMs.Of)
	}
	if f := r.Files; f != nil {
		line("files: %d of %d", f.Have, f.Of)
	}
	if r.Since != nil {
		line("since: %s", r.Since)
	}
	list := func(what string, names []string) {
		if len(names) > 0 {
			line("%s: %s", what, strings.Join(names, ", "))
		}
	}
	list("not here", r.Absent)
	list("omitted by the release", r.Omitted)
	list("not proven: who made the third-party images, which the release lists by digest", r.ThirdParty)
	list("not proven: that no newer release has these tags, which move", r.Floating)
	list("not proven: the revision, which is declared", r.Declared)
	list("not proven: the bytes, which were on the builder's machine", r.Local)
	if f := r.Files; f != nil {
		for _, l := range f.Lists() {
			line("%s", l)
		}
	}
	if r.Foreign > 0 {
		line("not looked at: %d statements of other keys", r.Foreign)
	}
	var others []string
	for _, o := range r.Others {
		others = append(others, fmt.Sprintf("%s (%d)", o.Type, o.Count))
	}
	list("not looked at: artifacts that refer to the images, of the types", shown(others, 0))
	_, err := io.WriteString(w, b.String())
	return err
}
