package lock

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/stagefile"
)

// Read reads a lock from a regular file. A newer schemaVersion, an unknown field, trailing text
// and a file that is not a lock are errors that name the file.
func Read(path string) (*Lock, error) { return read(path, stagefile.Lock.Read) }

// ReadGiven reads a lock as [Read] does from a path that a user has named, which may be a pipe.
func ReadGiven(path string) (*Lock, error) { return read(path, stagefile.Lock.ReadGiven) }

func read(path string, from func(string, any) error) (*Lock, error) {
	var l Lock
	if err := from(path, &l); err != nil {
		return nil, err
	}
	if err := l.check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, stagefile.Lock.Invalid(err))
	}
	return &l, nil
}

// Encode returns the bytes of the file: indented JSON with a final newline.
func (l *Lock) Encode() ([]byte, error) { return stagefile.Lock.Encode(l) }

// Write writes the lock to a file that appears only when it is complete. The caller must have
// locked its directory.
func (l *Lock) Write(path string) error { return stagefile.Lock.Write(path, l) }

// check returns an error if the lock lacks names, digests or platforms that its readers rely
// on.
func (l *Lock) check() error {
	for _, i := range l.Images {
		if err := i.check(); err != nil {
			return fmt.Errorf("image %q: %w", i.Name, err)
		}
	}
	for _, c := range l.Charts {
		if err := c.check(); err != nil {
			return fmt.Errorf("chart %q: %w", c.Name, err)
		}
	}
	return checkOthers(l.ThirdParty, l.Artifacts, l.Prebuilt)
}

func (i Image) check() error {
	if err := checkNames(i); err != nil {
		return err
	}
	if i.Digest == (v1.Hash{}) {
		return errMissing
	}
	for _, t := range i.PlatformTags {
		if t.Digest == (v1.Hash{}) {
			return errMissing
		}
	}
	if err := checkReferrers(i.Referrers); err != nil {
		return err
	}
	return CheckChildren(i.Children)
}

// checkNames checks every name of an image, in all registries.
func checkNames(i Image) error {
	tags := slices.Clone(i.Tags)
	for _, t := range i.PlatformTags {
		tags = append(tags, t.Tag)
	}
	for _, t := range i.FloatingTags {
		tags = append(tags, t.Tag)
	}
	if len(i.Tags) == 0 {
		tags = []string{""}
	}
	for _, r := range i.Repositories() {
		for _, t := range tags {
			if err := imagename.Check(r + ":" + t); err != nil {
				return fmt.Errorf("%q is not its name: %w", r+":"+t, err)
			}
		}
	}
	return nil
}

var errMissing = errors.New("a digest is missing")

// CheckChildren reports a child without a digest or with a platform that no release has.
func CheckChildren(children []Child) error {
	for _, c := range children {
		digests := []v1.Hash{c.Digest, c.Config}
		for _, b := range c.Bases() {
			digests = append(digests, b.Digest)
		}
		if slices.Contains(digests, v1.Hash{}) {
			return errMissing
		}
		if c.Prebuilt != nil {
			if err := checkReferrers(c.Prebuilt.Referrers); err != nil {
				return err
			}
		}
		if err := c.Platform.Check(); err != nil {
			return err
		}
	}
	return nil
}

func checkReferrers(list []oci.Referrer) error {
	for _, r := range list {
		if r.Digest == (v1.Hash{}) {
			return errors.New("the digest of a referrer is missing")
		}
		if r.Tag != "" && !imagename.IsCosignTag(r.Tag) {
			return fmt.Errorf("a referrer has %q, which is not a tag of cosign", r.Tag)
		}
	}
	return nil
}

// checkOthers checks the third-party images, the artifacts and the prebuilt programs of a lock or a
// part.
func checkOthers(thirdParty []ThirdParty, artifacts []Artifact, prebuilt []Prebuilt) error {
	for _, t := range thirdParty {
		if t.Omitted == "" && t.Digest == (v1.Hash{}) {
			return fmt.Errorf("image %q: the digest is missing", t.Reference)
		}
		if err := checkReferrers(t.Referrers); err != nil {
			return fmt.Errorf("image %q: %w", t.Reference, err)
		}
	}
	for _, a := range artifacts {
		if a.Digest == (v1.Hash{}) {
			return fmt.Errorf("artifact %q: the digest is missing", a.File)
		}
		if !isFileName(a.File) {
			return fmt.Errorf("artifact %q: not a file name", a.File)
		}
	}
	return checkPrebuilt(prebuilt)
}

// isFileName reports whether a name is that of a file in dist/ itself.
func isFileName(name string) bool {
	return name != "" && name == filepath.Base(name) && !strings.ContainsAny(name, `/\`) && name[0] != '.'
}
