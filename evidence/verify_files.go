package evidence

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/signature"
)

// maxSums is the largest file of checksums, or release.yaml, that is read, in bytes.
const maxSums = 64 << 20

// Files reports what a directory has of the files that its signed checksums list.
type Files struct {
	Count

	Absent []string `json:"absent,omitempty"`
	// Unlisted are files that the checksums do not list, at most maxListed of them. Nothing is
	// known of them.
	Unlisted []string `json:"unlisted,omitempty"`
	// MoreUnlisted counts those that Unlisted does not name.
	MoreUnlisted int `json:"moreUnlisted,omitempty"`

	// Bundles are the paths of the bundles in a directory that its checksums list.
	Bundles []string `json:"-"`
}

// ReadStatements verifies files with signed statements on one release. As many keys as the policy
// asks for must have signed equal subjects. Files of other keys are counted only.
func ReadStatements(paths []string, p Policy) (*Report, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	r := newReader(p)
	if err := r.files(paths); err != nil {
		return nil, err
	}
	from := strings.Join(paths, ", ")
	signed, err := p.decide([]Material{{From: from, Anonymous: true}}, r)
	if err != nil {
		return nil, err
	}
	if err := r.oneRelease(signed[0].Statement); err != nil {
		return nil, fmt.Errorf("%s are of different releases: %w", from, err)
	}
	return describe(p, r, signed), nil
}

// files reads Sigstore bundles in files.
func (r *reader) files(paths []string) error {
	for _, path := range paths {
		if _, err := r.file(path); err != nil {
			return err
		}
	}
	return nil
}

// file reads the Sigstore bundle in a file, and returns its digest.
func (r *reader) file(path string) (v1.Hash, error) {
	text, err := readFile(path, signature.MaxBundle)
	if err != nil {
		return v1.Hash{}, err
	}
	h := hashOf(text)
	if r.blobs[h], err = r.take(h, r.policy.decode(h, text)); err != nil {
		return h, fmt.Errorf("%s: %w", path, err)
	}
	if p := r.blobs[h].provenance; p != nil {
		p.given = true
	}
	return h, nil
}

func digestFile(ctx context.Context, path string, task *progress.Task) (string, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !fi.Mode().IsRegular() {
		return "", fmt.Errorf("%s is not a regular file", path)
	}
	h, err := disk.Digest(ctx, path, task)
	return h.Hex, err
}

// readFile reads a regular file of at most limit bytes.
func readFile(path string, limit int64) ([]byte, error) {
	fi, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !fi.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", path)
	case fi.Size() > limit:
		return nil, fmt.Errorf("%s has %d bytes: %d are read at most", path, fi.Size(), limit)
	}
	f, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s grows while it is read", path)
	}
	return text, err
}

func hashOf(text []byte) v1.Hash {
	h := sha256.New()
	h.Write(text)
	return oci.Sum(h)
}

// maxListed is how many files that checksums do not list a report names.
var maxListed = 10_000 // a variable for the test that has more

// compareFiles compares the existing files with their digests.
func compareFiles(ctx context.Context, dir string, sums map[string]string, pr *progress.Printer) (*Files, error) {
	f := &Files{Count: Count{Of: len(sums)}}
	var errs []error
	task := pr.Start("comparing "+dir+" with "+SumsName, progress.Bytes, 0)
	defer task.Fail()
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		got, err := digestFile(ctx, path, task)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist):
			f.Absent = append(f.Absent, name)
		case err != nil:
			errs = append(errs, err)
		case got != sums[name]:
			errs = append(errs, changed(path, got, sums[name]))
		default:
			f.Have++
			if strings.HasSuffix(name, distfile.BundleSuffix) {
				f.Bundles = append(f.Bundles, path)
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	task.Done("%d files", f.Have)
	return f, f.find(dir, sums)
}

// find finds the files in a directory that sums do not list. Links are files: nothing is read
// behind them.
func (f *Files) find(dir string, sums map[string]string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		name := filepath.ToSlash(rel)
		_, listed := sums[name]
		switch {
		case listed || slices.Contains([]string{SumsName, SumsBundle, SumsSignature}, name):
		case name == ".gitignore" && d.Type().IsRegular() && disk.Ignored(dir): // slipway's own
		case len(f.Unlisted) < maxListed:
			f.Unlisted = append(f.Unlisted, name)
		default:
			f.MoreUnlisted++
		}
		return nil
	})
}

// Lists returns a line for a person about the files that are not here, and one each about those
// that commands add to a release, by their names, and about others that the checksums do not list.
// Each is missing if there are none.
func (f *Files) Lists() (all []string) {
	if len(f.Absent) > 0 {
		all = append(all, "not here: "+strings.Join(f.Absent, ", "))
	}
	var added, others []string
	for _, name := range f.Unlisted {
		if distfile.Added(name) {
			added = append(added, name)
		} else {
			others = append(others, name)
		}
	}
	if len(added) > 0 {
		all = append(all, "not proven: added after the release, as promote, push and airgap pack -base do: "+
			strings.Join(shown(added, 0), ", "))
	}
	if len(others) > 0 {
		all = append(all,
			"not proven: files that the checksums do not list: "+strings.Join(shown(others, f.MoreUnlisted), ", "))
	}
	return all
}

// maxShown is how much of an untrusted list is shown to a person.
const maxShown = 20

// shown returns the first of a list, and how many more there are, besides those that it lacks.
func shown(list []string, more int) []string {
	list = slices.Clone(list)
	if len(list) > maxShown {
		list, more = list[:maxShown], more+len(list)-maxShown
	}
	if more > 0 {
		list = append(list, fmt.Sprintf("and %d more", more))
	}
	return list
}

// CheckListed checks that each of the files of a directory with these names, if it is there, has
// the digest that the checksums list. Signatures are not verified.
func CheckListed(dir string, sums map[string]string, names ...string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		got, err := digestFile(context.Background(), path, nil)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return err
		case sums[name] == "":
			return fmt.Errorf("%s: %s does not list it, so it is of another release: "+
				"make the release again, or take it again from its maintainer", path, SumsName)
		case got != sums[name]:
			return changed(path, got, sums[name])
		}
	}
	return nil
}
