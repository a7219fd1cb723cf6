package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/renaming"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
)

// Files returns the names of the files that a release with a lock makes in its directory.
func Files(l *lock.Lock) []string {
	r := distfile.Release{
		Product: l.Name, Version: l.Version, Bundles: l.Bundles,
		Artifacts: artifactNames(l.Artifacts),
	}
	for _, i := range l.Images {
		r.Images = append(r.Images, i.Name)
	}
	for _, c := range l.Charts {
		r.Charts = append(r.Charts, c.File.Name)
	}
	return r.Names()
}

// copies returns the names of the copies of release.yaml for the registries of a release, which
// other commands write.
func copies(l *lock.Lock) (names []string) {
	for _, to := range l.Registries() {
		names = append(names, renaming.DefaultOut(Manifest, to))
	}
	return names
}

// PartFiles returns the names of the files that a part of a release has.
func PartFiles(p *lock.Part) []string { return distfile.PartNames(artifactNames(p.Artifacts)) }

func artifactNames(all []lock.Artifact) (names []string) {
	for _, a := range all {
		names = append(names, a.File)
	}
	return names
}

// journal names files of a directory besides those that the lock or the part there names. Commands
// write the journal before they make files, so that every file is named at any time.
type journal struct {
	FilesVersion int      `json:"filesVersion"`
	Name         string   `json:"name"` // the product's
	Files        []string `json:"files"`
}

// owned are the files in a directory that are slipway's.
type owned struct {
	product string   // "" if there are none
	names   []string // of existing files, sorted
}

// own reads what a directory has of slipway: what its lock, its part, the result of a build and its
// journal name. These must be of one product.
func own(dir string) (*owned, error) {
	o := &owned{}
	for _, read := range []func(dir string) (product string, names []string, err error){
		ofLock, ofPart,
		ofBuild, ofJournal,
	} {
		product, names, err := read(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, err
		case o.product != "" && o.product != product:
			return nil, fmt.Errorf("%s has files of %s and of %s", dir, o.product, product)
		}
		o.product, o.names = product, append(o.names, names...)
	}
	for _, name := range o.names {
		if split, ok := strings.CutSuffix(name, distfile.VolumesSuffix); ok {
			o.names = append(o.names, bundle.SplitFiles(dir, strings.TrimPrefix(split, "."))...)
		}
	}
	o.names = present(dir, o.names)
	return o, nil
}

func ofLock(dir string) (string, []string, error) {
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if err != nil {
		return "", nil, err
	}
	return l.Name, append(Files(l), copies(l)...), nil
}

func ofPart(dir string) (string, []string, error) {
	p, err := lock.ReadPart(filepath.Join(dir, lock.PartName))
	if err != nil {
		return "", nil, err
	}
	return p.Name, PartFiles(p), nil
}

func ofBuild(dir string) (string, []string, error) {
	r, err := built.Read(filepath.Join(dir, stagefile.Build.Name))
	if err != nil {
		return "", nil, err
	}
	return r.Name, []string{stagefile.Build.Name}, nil
}

func ofJournal(dir string) (string, []string, error) {
	var j journal
	if err := stagefile.Files.Read(filepath.Join(dir, distfile.Journal), &j); err != nil {
		return "", nil, err
	}
	return j.Name, append(slices.DeleteFunc(j.Files, func(n string) bool { return !distfile.Local(n) }),
		distfile.Journal), nil
}

// present returns the names of files that are in a directory, sorted.
func present(dir string, names []string) []string {
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(n)))
		return errors.Is(err, fs.ErrNotExist)
	})
}

// checksums are the names of the checksums and their signatures.
var checksums = []string{distfile.SumsBundle, distfile.SumsSignature, distfile.Sums}

// indexes are the files that name others, in the order in which they are removed.
var indexes = []string{distfile.Build, distfile.Part, distfile.Lock, distfile.Journal}

// indexed returns the names that only an index may prove to be slipway's.
func indexed(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool {
		return slices.Contains(indexes, n) || slices.Contains(checksums, n)
	})
}

// CheckOut checks that files of a product may be made in a directory: that it has no release of
// another product, and no files of these names but those of an earlier release of this one. Other
// files are never replaced or removed.
func CheckOut(dir, product string, names []string) error {
	_, err := mayWrite(dir, product, names)
	return err
}

func mayWrite(dir, product string, names []string) (*owned, error) {
	const other = "name another directory with -out"
	had, err := own(dir)
	if err != nil {
		return nil, fmt.Errorf("%s does not tell which of its files are slipway's: %w: "+
			"%s, or delete the files of the release", dir, err, other)
	}
	if had.product != "" && had.product != product {
		return nil, fmt.Errorf("%s has a release of %s, which one of %s would replace: %s, or remove that one with %s",
			dir, had.product, product, other, howto.Run("store clean -out="+dir))
	}
	if n := slices.IndexFunc(names, func(n string) bool { return !distfile.Local(n) }); n >= 0 {
		return nil, fmt.Errorf("%.100q is not the name of a file of a release", names[n])
	}
	names = present(dir, append(slices.Clone(names), checksums...))
	names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(had.names, n) })
	if len(names) == 0 {
		return had, nil
	}
	more := ""
	if len(names) > 5 {
		names, more = names[:5], fmt.Sprintf(" and %d more", len(names)-5)
	}
	return nil, fmt.Errorf("%s has %s%s, and no %s which states that slipway made it: %s, or move these files",
		dir, strings.Join(names, ", "), more, lock.Name, other)
}
