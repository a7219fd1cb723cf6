package product

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/renameio/v2/maybe"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/platform"
)

// BasesLock is the name of the file beside slipway.yaml that pins the bases of registries.
const BasesLock = "bases.lock.yaml"

// LockedBase is what bases.lock.yaml says of a base for one platform.
type LockedBase struct {
	Base      string // its name in slipway.yaml
	Platform  v1.Platform
	Reference string  // repository:tag as slipway.yaml has it, without a digest; repository alone where there is no tag
	Digest    v1.Hash // of the index, or of the manifest where there is none
	// OSVersion is the Windows version in full, of the image for the platform. It is empty for Linux, for bases of any build, and where the
	// digest did not come out of the registry.
	OSVersion string
	// Created is when the image was made, by its own account; zero where that is not known.
	Created time.Time
	Pos     Pos
}

// basesLockYAML is bases.lock.yaml.
type basesLockYAML struct {
	APIVersion string           `yaml:"apiVersion" jsonschema:"required"`
	Bases      []lockedBaseYAML `yaml:"bases" jsonschema:"required"`
}

type lockedBaseYAML struct {
	Base      string `yaml:"base" jsonschema:"required"`
	Platform  string `yaml:"platform" jsonschema:"required"`
	Reference string `yaml:"reference" jsonschema:"required"`
	Digest    string `yaml:"digest" jsonschema:"required"`
	OSVersion string `yaml:"osVersion,omitempty"`
	Created   string `yaml:"created,omitempty"`
}

// locked pins the bases by bases.lock.yaml, where that is there. With a registry, bases that nothing pins, and those of which slipway.yaml
// and the lock say different things, are mistakes; a snapshot stands on stand-ins and goes on.
//
// With anew the file is about to be written again: only a format that is too new matters then.
func (c *checker) locked(anew bool) error {
	path := filepath.Join(filepath.Dir(c.out.Path), BasesLock)
	entries, m, newer, err := readBasesLock(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reading %s: %w", path, cause(err))
	}
	if !anew || newer {
		c.mistakes = append(c.mistakes, m...)
	}
	for n := range c.out.Bases {
		b := &c.out.Bases[n]
		for i := range b.Images {
			c.pin(b.Name, &b.Images[i], entries)
		}
	}
	return nil
}

// pin pins one image.
func (c *checker) pin(base string, i *BaseImage, entries []LockedBase) {
	strict := !c.out.Snapshot()
	for n := range entries {
		if e := &entries[n]; e.Base == base && platform.Same(e.Platform, i.Platform) {
			i.Lock = e
		}
	}
	what := fmt.Sprintf("base %s for %s", base, platform.Format(i.Platform))
	switch {
	case i.Lock == nil && i.Inline:
	case i.Lock == nil:
		if strict {
			c.at(i.Pos, "%s is not locked: run go tool mage bases, which writes the digest of %s into %s, since a release must not change when a tag moves", what, i.Reference, BasesLock)
		}
	case i.Lock.Reference != Unpinned(*i):
		if strict {
			c.at(i.Lock.Pos, "%s is locked as %s, and %s names %s: run go tool mage bases", what, i.Lock.Reference, c.out.Path, Unpinned(*i))
		}
		i.Lock = nil
	case i.Inline && i.Reference.Identifier() != i.Lock.Digest.String():
		if strict {
			c.at(i.Lock.Pos, "%s is locked at %s, and %s has %s: run go tool mage bases", what, i.Lock.Digest, c.out.Path, i.Reference.Identifier())
		}
		i.Lock = nil
	case !i.Inline:
		if d, err := name.NewDigest(i.Lock.Reference+"@"+i.Lock.Digest.String(), name.WithDefaultTag("")); err == nil {
			i.Reference = d
		}
	}
}

// Unpinned returns the reference of a base without its digest, as bases.lock.yaml has it.
func Unpinned(i BaseImage) string {
	ref, _, _ := strings.Cut(i.Reference.String(), "@")
	return ref
}

// readBasesLock reads bases.lock.yaml. What is wrong in it stands in the mistakes, newer says that its format is.
func readBasesLock(path string) (list []LockedBase, m mistakes, newer bool, err error) {
	b, err := readText(&m, path)
	if err != nil || len(m) > 0 {
		return nil, m, false, err
	}
	list, m, newer = parseBasesLock(path, b)
	return list, m, newer, nil
}

func parseBasesLock(path string, b []byte) (list []LockedBase, m mistakes, newer bool) {
	var in basesLockYAML
	d := newDocument(path, b, &in)
	if apiForm.MatchString(in.APIVersion) && in.APIVersion != APIVersion {
		d.mistakes = nil
		d.errorf(&in.APIVersion, "%s is newer than this slipway, which reads %s: use a newer slipway", in.APIVersion, APIVersion)
		return nil, d.mistakes, true
	}
	if in.APIVersion != "" && in.APIVersion != APIVersion {
		d.errorf(&in.APIVersion, "unknown apiVersion %q: write %s", in.APIVersion, APIVersion)
	}
	for i := range in.Bases {
		if e, ok := d.lockedBase(&in.Bases[i]); ok {
			for _, o := range list {
				if o.Base == e.Base && platform.Same(o.Platform, e.Platform) {
					d.errorf(&in.Bases[i].Base, "base %s stands here twice for %s: run go tool mage bases", e.Base, platform.Format(e.Platform))
				}
			}
			list = append(list, e)
		}
	}
	return list, d.mistakes, false
}

// lockedBase reads an entry.
func (d *document) lockedBase(in *lockedBaseYAML) (LockedBase, bool) {
	before := len(d.mistakes)
	e := LockedBase{Base: in.Base, Reference: in.Reference, OSVersion: in.OSVersion, Pos: d.where(&in.Base)}
	if in.Base == "" || in.Platform == "" || in.Reference == "" || in.Digest == "" {
		return e, false
	}
	var err error
	if e.Platform, err = platform.Parse(in.Platform); err != nil {
		d.errorf(&in.Platform, "%v", err)
	}
	if _, err := name.ParseReference(in.Reference, name.WithDefaultTag("")); err != nil || strings.Contains(in.Reference, "@") {
		d.errorf(&in.Reference, "%q is no repository:tag: run go tool mage bases", in.Reference)
	}
	if e.Digest, err = v1.NewHash(in.Digest); err != nil || e.Digest.Algorithm != "sha256" {
		d.errorf(&in.Digest, "a digest is sha256: and 64 hexadecimal digits: run go tool mage bases")
	}
	if in.OSVersion != "" && (e.Platform.OS != platform.Windows || strings.Count(in.OSVersion, ".") != 3 || platform.Short(in.OSVersion) != platform.Short(e.Platform.OSVersion)) {
		d.errorf(&in.OSVersion, "%q is no version of %s in four parts: run go tool mage bases", in.OSVersion, in.Platform)
	}
	if in.Created != "" {
		if e.Created, err = time.Parse(time.RFC3339, in.Created); err != nil {
			d.errorf(&in.Created, "%q is no time such as 2025-01-16T21:57:50Z: run go tool mage bases", in.Created)
		}
	}
	return e, len(d.mistakes) == before
}

const basesLockHead = `# What the bases of slipway.yaml stand for. go tool mage bases writes this file: commit it, and read what changes in it.
`

// EncodeBases returns the bytes of bases.lock.yaml.
func EncodeBases(list []LockedBase) ([]byte, error) {
	out := basesLockYAML{APIVersion: APIVersion, Bases: []lockedBaseYAML{}}
	for _, e := range list {
		y := lockedBaseYAML{e.Base, platform.Format(e.Platform), e.Reference, e.Digest.String(), e.OSVersion, ""}
		if !e.Created.IsZero() {
			y.Created = e.Created.UTC().Format(time.RFC3339)
		}
		out.Bases = append(out.Bases, y)
	}
	b := bytes.NewBufferString(basesLockHead)
	enc := yaml.NewEncoder(b)
	enc.SetIndent(2)
	if err := enc.Encode(out); err != nil {
		return nil, fmt.Errorf("encoding %s: %w", BasesLock, err)
	}
	return b.Bytes(), nil
}

// WriteBases writes bases.lock.yaml beside the product's slipway.yaml.
func WriteBases(p *Product, list []LockedBase) error {
	b, err := EncodeBases(list)
	if err != nil {
		return err
	}
	path := filepath.Join(filepath.Dir(p.Path), BasesLock)
	if err := maybe.WriteFile(path, b, 0o644); err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}
