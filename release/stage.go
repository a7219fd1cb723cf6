package release

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/plainjson"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// Stage is a run of a single stage of a release, in an output directory that has what the stages
// before it made.
type Stage struct {
	Product  *product.Product
	Store    *store.Store // locked
	Out      string       // the output directory, locked
	Channel  string       // that was asked for; "" for none
	Progress *progress.Printer
	Rebuild  bool // builders of Dockerfiles run whatever they have made before
}

// built reads the result of build.
func (s *Stage) built() (*built.Result, error) {
	r, err := built.Read(s.path(stagefile.Build.Name))
	if err != nil {
		return nil, s.missing(err, stagefile.Build.Name, "stage build")
	}
	if r.Name != s.Product.Name || r.Version != s.Product.Version {
		return nil, s.same(stagefile.Build.Name, subject{name: r.Name, version: r.Version}, "stage build")
	}
	return r, nil
}

// published reads the lock of publish.
func (s *Stage) published() (*lock.Lock, error) {
	l, err := lock.Read(s.path(lock.Name))
	if errors.Is(err, fs.ErrNotExist) {
		if p, err := lock.ReadPart(s.path(lock.PartName)); err == nil {
			return nil, fmt.Errorf("%s is for %v only: publish all of it, or join all parts with %s",
				s.path(lock.PartName), p.Selected, howto.Run("merge"))
		}
	}
	if err != nil {
		return nil, s.missing(err, lock.Name, "stage publish")
	}
	return l, s.same(lock.Name, subject{l.Name, l.Version, l.Channel, l.Registries()}, "stage publish")
}

// packable reads the result of publish: the full lock or, where there is none, a partial one.
func (s *Stage) packable() (l *lock.Lock, partial bool, err error) {
	p, err := lock.ReadPart(s.path(lock.PartName))
	if errors.Is(err, fs.ErrNotExist) || exists(s.path(lock.Name)) {
		l, err = s.published()
		return l, false, err
	}
	if err != nil {
		return nil, false, err
	}
	if l, err = p.Local(); err != nil {
		return nil, false, err
	}
	return l, true, s.same(lock.PartName, subject{p.Name, p.Version, p.Channel, l.Registries()}, "stage publish")
}

// missing adds the command that writes a file to an error that the file does not exist.
func (s *Stage) missing(err error, name, before string) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is missing: run %s first", s.path(name), howto.Run(before))
	}
	return err
}

// subject has the values on which a file of a release and the flags of a command must agree.
type subject struct {
	name, version, channel string
	registries             []string
}

// same reports a file of another product or version, or of another channel or for other
// registries than those that were asked for. Without that, a release is as its file has it.
func (s *Stage) same(name string, file subject, before string) error {
	p := s.Product
	switch want := publish.Registries(p); {
	case file.name != p.Name || file.version != p.Version:
		other := ""
		if file.name == p.Name {
			other = ", or give -version=" + file.version
		}
		return fmt.Errorf("%s is of %s %s, not of %s: run %s first%s", s.path(name), file.name, file.version, p.Title(),
			howto.Run(before), other)
	case s.Channel != "" && file.channel != p.Channel:
		return fmt.Errorf("%s is of channel %q, not of %s: run %s first, or leave out -channel",
			s.path(name), file.channel, p.Channel, howto.Run(before+" -channel="+p.Channel))
	case !p.Snapshot() && !slices.Equal(file.registries, want):
		return fmt.Errorf("%s is for %s, not for %s: run %s first, or leave out -registry (and SLIPWAY_REGISTRY)",
			s.path(name), strings.Join(file.registries, ", "), strings.Join(want, ", "),
			howto.Run(before+" -registry="+strings.Join(want, ",")))
	}
	return nil
}

// claim makes the output directory ready for files of these names.
func (s *Stage) claim(names ...string) error {
	return Claim(s.Out, s.Product.Name, names)
}

// path returns the path of a file in the output directory.
func (s *Stage) path(name string) string { return filepath.Join(s.Out, name) }

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// StageResult is what a stage has made: a table of images, or as JSON the file that it has
// written.
type StageResult struct {
	images  []imageRow
	file    any
	omitted []transfer.OmittedReferrer
}

// imageRow is an image in a [StageResult].
type imageRow struct {
	name     string
	also     []string // its other names
	digest   v1.Hash  // zero if it has no index yet
	children []lock.Child
}

// MarshalJSON encodes the file, with the referrers that registries did not get: these belong to
// this run, not to the release.
func (r *StageResult) MarshalJSON() ([]byte, error) {
	switch file := r.file.(type) {
	case *lock.Lock:
		return plainjson.Line(struct {
			*lock.Lock

			OmittedReferrers []transfer.OmittedReferrer `json:"omittedReferrers,omitempty"`
		}{file, r.omitted})
	case *lock.Part:
		return plainjson.Line(struct {
			*lock.Part

			OmittedReferrers []transfer.OmittedReferrer `json:"omittedReferrers,omitempty"`
		}{file, r.omitted})
	}
	return plainjson.Line(r.file)
}

// WriteTable writes a line for each name of an image, and for each platform.
func (r *StageResult) WriteTable(w io.Writer) error {
	t := output.NewTable(w, "IMAGE\tPLATFORM\tSIZE\tDIGEST")
	for _, i := range r.images {
		digest := ""
		if i.digest != (v1.Hash{}) {
			digest = i.digest.String()
		}
		t.Row("%s\t\t\t%s", i.name, digest)
		for _, name := range i.also {
			t.Row("%s\t\t\t", name)
		}
		for _, c := range i.children {
			t.Row("\t%s\t%s\t%s", c.Platform, progress.Size(c.LayerBytes), c.Digest)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return writeOmittedReferrers(w, r.omitted)
}

// finish writes the file of a stage, and removes the results of later stages and of earlier runs,
// except for the files to keep.
func (s *Stage) finish(v interface{ Write(path string) error }, name string, images []imageRow, keep ...string,
) (*StageResult, error) {
	if err := v.Write(s.path(name)); err != nil {
		return nil, err
	}
	if err := Supersede(s.Out, append(keep, name)...); err != nil {
		return nil, err
	}
	return &StageResult{images: images, file: v}, Settle(s.Out, s.Product.Name)
}
