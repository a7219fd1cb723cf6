package product

import (
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

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
	// repository:tag as slipway.yaml has it, without a digest; the repository if there is no
	// tag
	Reference string
	Digest    v1.Hash // of the index, or of the manifest if there is no index
	// OSVersion is the Windows version in full, of the image for the platform. It is empty for
	// Linux, for bases of any build, and where the digest did not come out of the registry.
	OSVersion string
	// Created is when the image was made, as it states; zero where that is not known.
	Created time.Time
	Pos     yamlfile.Pos
}

// basesLockYAML is what slipway bases writes beside slipway.yaml: what the bases of registries are
// pinned to.
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
	// The digest of the index, or of the manifest if there is no index.
	Digest string `yaml:"digest" jsonschema:"required"`
	// The full Windows version of the image. A base with another one is an error.
	OSVersion string `yaml:"osVersion,omitempty"`
	// When the image was made, according to its configuration.
	Created string `yaml:"created,omitempty"`
}

// readBasesLock reads bases.lock.yaml. newer reports whether its format is newer than this code,
// which then is the only error.
func readBasesLock(path string) (list []LockedBase, errs yamlfile.Errors, newer bool, err error) {
	b, err := yamlfile.ReadText(path, maxFile)
	if err != nil {
		return nil, nil, false, err
	}
	list, errs, newer = parseBasesLock(path, b)
	return list, errs, newer, nil
}

func parseBasesLock(path string, b []byte) (list []LockedBase, errs yamlfile.Errors, newer bool) {
	var in basesLockYAML
	d := decode(path, b, &in)
	if newer := apiVersion(d, &in.APIVersion); newer {
		return nil, d.Errors, true
	}
	for i := range in.Bases {
		e, ok := lockedBase(d, &in.Bases[i])
		if !ok {
			continue
		}
		for _, o := range list {
			if o.Base == e.Base && platform.Same(o.Platform, e.Platform) {
				d.Errorf(&in.Bases[i].Base, "base %s is listed twice for %s: run %s", e.Base, e.Platform, howto.Run("bases"))
			}
		}
		list = append(list, e)
	}
	return list, d.Errors, false
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
	e.Digest = lockedDigest(d, &in.Reference, &in.Digest, "bases")
	if in.OSVersion != "" && (e.Platform.OS != platform.Windows || strings.Count(in.OSVersion, ".") != 3 || platform.Short(in.OSVersion) != platform.Short(e.Platform.OSVersion)) {
		d.Errorf(&in.OSVersion, "%q is not a four-part version of %s: run %s", in.OSVersion, in.Platform, howto.Run("bases"))
	}
	if in.Created != "" {
		if e.Created, err = time.Parse(time.RFC3339, in.Created); err != nil {
			d.Errorf(&in.Created, "%q is not a time such as 2025-01-16T21:57:50Z: run %s", in.Created, howto.Run("bases"))
		}
	}
	return e, len(d.Errors) == before
}
