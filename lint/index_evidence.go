package lint

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// Evidence lists the signatures, attestations and SBOMs of an index and its entries. Nothing is
// verified: that needs a key.
type Evidence struct {
	Proofs []Proof // those of the index first, then in the order of entries
	// Entries means that evidence of the entries was looked for, too.
	Entries bool
	// Fault is the error in a list of evidence that was read, or nil.
	Fault error
}

// Proof is a document about an index or about an entry of it.
type Proof struct {
	Name      string  // what messages call it: "the tag sha256-….sig", "the referrer sha256:…"
	Entry     int     // of what it is found by; -1 for the index itself
	Of        v1.Hash // the digest of what it is found by
	Signature bool    // it has a signature, of whomever
	// Names are the digests that its content says it is about; nil if that is not known.
	Names []v1.Hash
	// Read is the outcome of reading it. [outcome.Absent] is a fault, since the evidence is
	// listed.
	Read outcome.Outcome
}

// IsAttestation reports whether an index lists an entry for an attestation, not for an image.
func (e Entry) IsAttestation() bool { return e.Desc.Platform != nil && oci.IsAttestation(e.Desc) }

// evidence looks at signatures, attestations and SBOMs.
func (j *judging) evidence() {
	j.references()
	e := j.index.Evidence
	if e == nil {
		return
	}
	if e.Fault != nil {
		j.add("evidence-unreadable", -1, "%v", e.Fault)
	}
	for _, p := range e.Proofs {
		switch {
		case p.Read == outcome.Absent:
			j.add("evidence-lost", p.Entry, "%s is not there", p.Name)
		case len(p.Names) > 0 && !slices.Contains(p.Names, p.Of):
			j.add("evidence-subject", p.Entry, "%s is found by %s, and is about %s%s", p.Name, p.Of, p.Names[0],
				more(len(p.Names)-1))
		}
	}
	if e.Entries {
		j.unsigned(e.Proofs)
	}
}

// references looks at the attestations of BuildKit in an index: each names the entry it is about.
func (j *judging) references() {
	there := map[string]bool{}
	for _, e := range j.index.Entries {
		there[e.Desc.Digest.String()] = true
	}
	for n, e := range j.index.Entries {
		if about := e.Desc.Annotations[oci.ReferenceDigest]; about != "" && !there[about] {
			j.add("evidence-lost", n, "%.100s, which it is about, is not an entry of the index", about)
		}
	}
}

// unsigned reports an index that is signed, and entries that are not.
func (j *judging) unsigned(proofs []Proof) {
	signed := map[int]bool{}
	for _, p := range proofs {
		signed[p.Entry] = signed[p.Entry] || p.Signature && p.Read != outcome.Absent
	}
	images := 0
	var without []string
	for n, e := range j.index.Entries {
		if e.IsAttestation() {
			continue
		}
		if images++; !signed[n] {
			without = append(without, j.name(n))
		}
	}
	if signed[-1] && len(without) > 0 {
		j.add("evidence-entries", -1, "the index is signed, and %d of its %d images are not: %s", len(without),
			images, some(without))
	}
}

// more counts the names that are not printed.
func more(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}

// some names the first of a list, and counts the others.
func some(list []string) string {
	const most = 5
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + more(len(list)-most)
}
