package product

import (
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/platform"
)

// BasesLock is the name of the file beside slipway.yaml that pins the bases of registries.
const BasesLock = "bases.lock.yaml"

// LockedBase is what bases.lock.yaml says of a base for one platform.
type LockedBase struct {
	Base     string // its name in slipway.yaml
	Platform v1.Platform
	// repository:tag as slipway.yaml has it, without a digest; repository alone where there is no
	// tag
	Reference string
	Digest    v1.Hash // of the index, or of the manifest where there is none
	// OSVersion is the Windows version in full, of the image for the platform. It is empty for
	// Linux, for bases of any build, and where the digest did not come out of the registry.
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

// readBasesLock reads bases.lock.yaml. What is wrong in it stands in the mistakes, newer says
// that its format is.
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
					d.errorf(&in.Bases[i].Base, "base %s stands here twice for %s: run %s", e.Base, platform.Format(e.Platform), howto.Run("bases"))
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
		d.errorf(&in.Reference, "%q is no repository:tag: run %s", in.Reference, howto.Run("bases"))
	}
	if e.Digest, err = v1.NewHash(in.Digest); err != nil || e.Digest.Algorithm != "sha256" {
		d.errorf(&in.Digest, "a digest is sha256: and 64 hexadecimal digits: run %s", howto.Run("bases"))
	}
	if in.OSVersion != "" && (e.Platform.OS != platform.Windows || strings.Count(in.OSVersion, ".") != 3 || platform.Short(in.OSVersion) != platform.Short(e.Platform.OSVersion)) {
		d.errorf(&in.OSVersion, "%q is no version of %s in four parts: run %s", in.OSVersion, in.Platform, howto.Run("bases"))
	}
	if in.Created != "" {
		if e.Created, err = time.Parse(time.RFC3339, in.Created); err != nil {
			d.errorf(&in.Created, "%q is no time such as 2025-01-16T21:57:50Z: run %s", in.Created, howto.Run("bases"))
		}
	}
	return e, len(d.mistakes) == before
}
