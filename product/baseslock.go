package product

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// BasesLock is the name of the file next to slipway.yaml that pins the bases of registries.
const BasesLock = "bases.lock.yaml"

// LockedBase is an entry of bases.lock.yaml: a base for one platform.
type LockedBase struct {
	Base     string // its name in slipway.yaml; Reference for one that only a Dockerfile names
	Platform platform.Platform
	// repository:tag as slipway.yaml has it, without a digest; the repository without a
	// tag
	Reference string
	Digest    v1.Hash // of the index, or of the manifest without an index
	// OSVersion is the Windows version in full, of the image for the platform; empty for
	// Linux, for bases of any build, and where the digest did not come out of the registry.
	OSVersion string
	// Created is when the image was made, as it states; zero where that is not known.
	Created time.Time
	Pos     yamlfile.Pos
}

// basesLockYAML is the file that slipway pin writes next to slipway.yaml with the digests of bases
// from registries.
type basesLockYAML struct {
	// The format of this file: slipway/v1.
	APIVersion string `yaml:"apiVersion" jsonschema:"required"`
	// The pinned bases, one for each base and platform.
	Bases []lockedBaseYAML `yaml:"bases" jsonschema:"required"`
}

// lockedBaseYAML is a base for one platform.
type lockedBaseYAML struct {
	// The base's name in slipway.yaml, or the reference if only a Dockerfile names it.
	Base string `yaml:"base" jsonschema:"required"`
	// The platform.
	Platform string `yaml:"platform" jsonschema:"required"`
	// The reference in slipway.yaml, without a digest.
	Reference string `yaml:"reference" jsonschema:"required"`
	// The digest of the index, or of the manifest without an index.
	Digest string `yaml:"digest" jsonschema:"required"`
	// The full Windows version of the image. A base with another one is an error.
	OSVersion string `yaml:"osVersion,omitempty"`
	// When the image was made, according to its configuration.
	Created string `yaml:"created,omitempty"`
}

var basesLock = lockFile[basesLockYAML, LockedBase]{
	name: BasesLock, content: "The digests of the bases of slipway.yaml", command: "pin bases",
	version: func(f *basesLockYAML) *string { return &f.APIVersion },
	read:    readBases,
	written: writtenBases,
}

func readBases(d *yamlfile.Document, in *basesLockYAML) (list []LockedBase) {
	for i := range in.Bases {
		e, ok := lockedBase(d, &in.Bases[i])
		if !ok {
			continue
		}
		if slices.ContainsFunc(list, func(o LockedBase) bool { return o.isFor(e.Base, e.Platform) }) {
			d.Errorf(&in.Bases[i].Base, "base %s is listed twice for %s: run %s", e.Base, e.Platform,
				howto.Run("pin bases"))
		}
		list = append(list, e)
	}
	return list
}

// isFor reports whether the entry pins a base for a platform.
func (e LockedBase) isFor(base string, on platform.Platform) bool {
	return e.Base == base && platform.Same(e.Platform, on)
}

// lockedBase reads an entry.
func lockedBase(d *yamlfile.Document, in *lockedBaseYAML) (LockedBase, bool) {
	before := len(d.Errors)
	e := LockedBase{Base: in.Base, Reference: in.Reference, OSVersion: in.OSVersion, Pos: d.Pos(&in.Base)}
	if in.Base == "" || in.Platform == "" || in.Reference == "" || in.Digest == "" {
		return e, false
	}
	var err error
	if e.Platform, err = platform.Parse(in.Platform); err != nil {
		d.Errorf(&in.Platform, "%v", err)
	}
	e.Digest = lockedDigest(d, &in.Reference, &in.Digest, "pin bases")
	if in.OSVersion != "" && (e.Platform.OS != platform.Windows || strings.Count(in.OSVersion, ".") != 3 ||
		platform.Short(in.OSVersion) != platform.Short(e.Platform.OSVersion)) {
		d.Errorf(&in.OSVersion, "%q is not a four-part version of %s: run %s", in.OSVersion, in.Platform,
			howto.Run("pin bases"))
	}
	if in.Created != "" {
		if e.Created, err = time.Parse(time.RFC3339, in.Created); err != nil {
			d.Errorf(&in.Created, "%q is not a time such as 2025-01-16T21:57:50Z: run %s", in.Created,
				howto.Run("pin bases"))
		}
	}
	return e, len(d.Errors) == before
}

func writtenBases(list []LockedBase) basesLockYAML {
	out := basesLockYAML{Bases: []lockedBaseYAML{}}
	for _, e := range list {
		y := lockedBaseYAML{e.Base, e.Platform.String(), e.Reference, e.Digest.String(), e.OSVersion, ""}
		if !e.Created.IsZero() {
			y.Created = e.Created.UTC().Format(time.RFC3339)
		}
		out.Bases = append(out.Bases, y)
	}
	return out
}

// WriteBases writes bases.lock.yaml next to the product's slipway.yaml, and puts other references
// into slipway.yaml itself where there are any: both files or none. While another process has
// locked that directory, it waits, which it reports through the callback, once. The callback may
// be nil. A file that would lock nothing is not begun.
func WriteBases(ctx context.Context, p *Product, list []LockedBase, references []yamlfile.Replacement,
	say disk.Say,
) error {
	b, err := basesLock.encode(list)
	if err != nil {
		return err
	}
	var files []disk.Content
	path := filepath.Join(filepath.Dir(p.Path), BasesLock)
	if _, err := os.Lstat(path); len(list) > 0 || err == nil { // nothing locked needs no file to commit
		files = append(files, disk.Content{Path: path, Data: b})
	}
	if len(references) > 0 {
		text, err := yamlfile.ReadText(p.Path, maxFile)
		if err != nil {
			return fmt.Errorf("reading %s: %w", p.Path, cause(err))
		}
		if text, err = yamlfile.Replace(p.Path, text, references); err != nil {
			return err
		}
		files = append(files, disk.Content{Path: p.Path, Data: text})
	}
	return disk.Replace(ctx, files, say)
}
