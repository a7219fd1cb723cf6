// Package provenance models the signed statement about a release: its contents and its inputs.
//
// There is one [Statement] per release, an in-toto statement v1 whose predicate is SLSA provenance
// v1. Its subjects are every index, every manifest of a platform, every chart, every file for
// download and release.yaml, so nothing can be omitted or exchanged. The statement has no time and
// no identity of a run: equal releases have equal statements.
//
// The package imports no build code, so that the operator's binary needs none.
package provenance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/plainjson"
)

// The types of a statement (https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md)
// and of its predicate (https://slsa.dev/spec/v1.2/build-provenance).
const (
	StatementType = "https://in-toto.io/Statement/v1"
	PredicateType = "https://slsa.dev/provenance/v1"
)

// BuildType is the type of the build: docs/provenance.md describes its parameters.
const BuildType = "https://github.com/slipway-dev/slipway/blob/main/docs/provenance.md"

// MaxSubjects is how many subjects verifiers read at most (sigstore-go, pkg/verify/signature.go).
const MaxSubjects = 1024

// Statement states that the release made every subject, from the inputs that its predicate lists.
type Statement struct {
	Type          string    `json:"_type"`
	Subjects      []Subject `json:"subject"` // sorted by digest, each digest once
	PredicateType string    `json:"predicateType"`
	Predicate     Predicate `json:"predicate"`
}

// Subject is something that the release consists of (an in-toto ResourceDescriptor).
type Subject struct {
	// Name is repository:tag of an image or chart, the first of its names; that name and the
	// platform of a manifest; or the name of a file in dist/.
	Name        string      `json:"name"`
	Digest      Digest      `json:"digest"`
	Annotations Annotations `json:"annotations,omitzero"`
}

// Digest is the SHA-256 of a subject or dependency, and of Go modules the hash of their files.
type Digest struct {
	SHA256 string `json:"sha256,omitempty"` // hex
	// DirHash is that of a Go module (golang.org/x/mod/sumdb/dirhash, Hash1), in hex.
	DirHash   string `json:"dirHash,omitempty"`
	GitCommit string `json:"gitCommit,omitempty"` // hex
}

// Annotations state what a subject or a dependency is.
type Annotations struct {
	// Kind is that of a subject or of a dependency: one of the constants.
	Kind string `json:"kind,omitempty"`
	// Names are all names that the release gives to a digest, sorted: registry/repository:tag,
	// without floating tags, or the name of a file. A third-party image has its name in bundles.
	Names []string `json:"names,omitempty"`
	// Floating are the names with floating tags that the release may give to a digest, sorted. A
	// later release may give them to another one.
	Floating []string `json:"floating,omitempty"`
	// Platform is os/arch[/variant][:os.version].
	Platform string `json:"platform,omitempty"`
	// Index has the digests, in hex, of the indexes that list a manifest.
	Index []string `json:"index,omitempty"`
	// Source is the name of a source in slipway.yaml, and Path that of a directory source: in the
	// repository whose commit is the digest, or else in the archive of inputs. Own reports whether
	// it is in the product's own repository.
	Source string `json:"source,omitempty"`
	Path   string `json:"path,omitempty"`
	Own    bool   `json:"own,omitempty"`
	// Created is the time that a directory source has, RFC 3339.
	Created string `json:"created,omitempty"`
	// Revision is the commit that a source declares. Proven reports whether the content was
	// compared with that commit.
	Revision string `json:"revision,omitempty"`
	Proven   bool   `json:"proven,omitempty"`
	// Local reports that the bytes were not compared with a public record: a toolchain that was
	// installed on the machine.
	Local bool `json:"local,omitempty"`
	// Stub reports that a snapshot has a stub in place of the image.
	Stub bool `json:"stub,omitempty"`
	// Builder is the builder that the release ran for a manifest, with its versions.
	Builder string `json:"builder,omitempty"`
}

// Predicate is SLSA provenance v1 without metadata on the run.
type Predicate struct {
	BuildDefinition BuildDefinition `json:"buildDefinition"`
	RunDetails      RunDetails      `json:"runDetails"`
}

// BuildDefinition has everything that decides the bytes of the subjects.
type BuildDefinition struct {
	BuildType            string       `json:"buildType"`
	ExternalParameters   Parameters   `json:"externalParameters"`
	ResolvedDependencies []Dependency `json:"resolvedDependencies"` // sorted by URI
}

// Parameters are what the maintainer chose. A verifier must know all of them.
type Parameters struct {
	Name    string    `json:"name"`    // the product's
	Version string    `json:"version"` // the product's
	Channel string    `json:"channel,omitempty"`
	Created time.Time `json:"created"` // as in the lock, UTC
	// SourceDateEpoch reports whether Created was given to the release: it then dates every image.
	SourceDateEpoch bool `json:"sourceDateEpoch,omitempty"`
	// Registries are where it was published, host[/prefix], the primary one first.
	Registries []string `json:"registries,omitempty"`
	// Omitted are the third-party images that manifests name and the release omits, sorted.
	Omitted []string `json:"omitted,omitempty"`
	// Inputs is the name of the archive with slipway.yaml and the files next to it.
	Inputs string `json:"inputs"`
	// Product is the path of slipway.yaml in that archive.
	Product string `json:"product"`
}

// Dependency is an input (an in-toto ResourceDescriptor).
type Dependency struct {
	URI         string      `json:"uri"` // a purl, a git+https URI or a file in dist/
	Digest      Digest      `json:"digest,omitzero"`
	Content     string      `json:"content,omitempty"` // of a document, in base64
	Annotations Annotations `json:"annotations,omitzero"`
}

// RunDetails name who built.
type RunDetails struct {
	Builder Builder `json:"builder"`
}

// Builder is who ran the build, as it states.
type Builder struct {
	// ID is a URI that the maintainer declares; without one it is that of a build with a local key,
	// which is SLSA Build L1.
	ID      string            `json:"id"`
	Version map[string]string `json:"version,omitempty"` // "slipway": v1.4.0
}

// Encode returns the statement as JSON: one line, the fields in the order of the types, without
// escaping for HTML, and a final newline. Equal statements have equal bytes.
func (s *Statement) Encode() ([]byte, error) {
	b, err := plainjson.Line(s)
	if err != nil {
		return nil, fmt.Errorf("encoding the provenance: %w", err)
	}
	return b, nil
}

// Decode reads a statement in the form that [Statement.Encode] writes, and in no other: it has no
// field twice and none that is not looked at. Text must have been verified before.
func Decode(text []byte) (*Statement, error) {
	var s Statement
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, errors.New("the provenance is not JSON")
	}
	switch {
	case s.Type != StatementType:
		return nil, errors.New("the statement is not an in-toto statement v1")
	case s.PredicateType != PredicateType:
		return nil, errors.New("the statement is not SLSA provenance v1")
	case s.Predicate.BuildDefinition.BuildType != BuildType:
		return nil, errors.New("the provenance is not of a release by slipway: its buildType is another")
	}
	again, err := s.Encode()
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(again, text) {
		return nil, errors.New("the provenance is not in the form that slipway writes: " +
			"a field is unknown, missing or given twice, or was written in another way")
	}
	return &s, s.check()
}

// check refuses subjects without digest, or twice.
func (s *Statement) check() error {
	if len(s.Subjects) == 0 || len(s.Subjects) > MaxSubjects {
		return fmt.Errorf("the provenance has %d subjects: verifiers read 1 to %d", len(s.Subjects), MaxSubjects)
	}
	for n, sub := range s.Subjects {
		if !isHex(sub.Digest.SHA256, 64) {
			return fmt.Errorf("subject %d of the provenance has no SHA-256", n+1)
		}
		if n > 0 && s.Subjects[n-1].Digest.SHA256 >= sub.Digest.SHA256 {
			return fmt.Errorf("subject %d of the provenance is not in the order of digests, or is there twice", n+1)
		}
		for _, name := range sub.Annotations.Floating {
			if imagetag.IsFull(name[strings.LastIndexByte(name, ':')+1:]) {
				return fmt.Errorf("the provenance gives %.200q as a floating tag: a full version never moves", name)
			}
		}
	}
	return nil
}

// Subject returns the subject with a SHA-256, in hex.
func (s *Statement) Subject(sha256 string) (Subject, bool) {
	n, ok := slices.BinarySearchFunc(s.Subjects, sha256, func(sub Subject, want string) int {
		return cmp.Compare(sub.Digest.SHA256, want)
	})
	if !ok {
		return Subject{}, false
	}
	return s.Subjects[n], true
}

func isHex(s string, length int) bool {
	return len(s) == length &&
		!slices.ContainsFunc([]byte(s), func(c byte) bool { return (c < '0' || c > '9') && (c < 'a' || c > 'f') })
}

// The kinds of subjects.
const (
	KindIndex    = "index"
	KindManifest = "manifest" // of one platform, or the only one of an image
	KindChart    = "chart"    // the manifest of a Helm chart
	KindFile     = "file"     // a file in dist/
)

// The kinds of dependencies. The kind of the archive of inputs is empty.
const (
	KindSource    = "source"
	KindBase      = "base"     // an image that another is built on or copies files from
	KindDocument  = "document" // an index, manifest or configuration of a base, with its content
	KindImage     = "image"    // of a third party, included with the release
	KindPrebuilt  = "prebuilt" // a manifest of the release that another builder made, taken as it is
	KindProgram   = "program"  // a prebuilt one
	KindCompiler  = "compiler" // of C, for programs with CGO
	KindToolchain = "toolchain"
	KindSlipway   = "slipway"
)

// GoVersion returns the version of a dependency that is a Go toolchain: "go1.26.8". Of other
// dependencies it returns "".
func (d Dependency) GoVersion() string {
	v, ok := strings.CutPrefix(d.URI, toolchain+"v0.0.1-")
	if !ok {
		return ""
	}
	return v[:max(strings.LastIndex(v, "."), 0)] // without .linux-amd64
}

// The beginnings of the purls of the Go toolchain, of Slipway and of others.
const (
	toolchain = "pkg:golang/golang.org/toolchain@"
	slipway   = "pkg:golang/github.com/slipway-dev/slipway"
)
