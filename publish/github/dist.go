package github

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/lock"
)

// maxFile is what GitHub takes of a file, in bytes, and maxFiles how many files
// (https://docs.github.com/en/repositories/releasing-projects-on-github/about-releases#storage-and-bandwidth-quotas).
const (
	maxFile  = 2<<30 - 1
	maxFiles = 1000
)

// File is a file of a release.
type File struct {
	Name   string  `json:"name"` // of the asset, which has no directory
	Path   string  `json:"path"` // in the directory of the release, with slashes
	Digest v1.Hash `json:"digest"`
	Size   int64   `json:"size"`
}

// Dist is the directory of a finished release.
type Dist struct {
	Dir   string
	Lock  *lock.Lock
	Files []File // sorted by name
}

// Read lists the files that the checksums of a directory list, with the checksums and their
// signatures, and compares every file with its checksum. Snapshots and parts are errors.
func Read(ctx context.Context, dir string, pr *progress.Printer) (*Dist, error) {
	l, err := lock.Read(filepath.Join(dir, lock.Name))
	if errors.Is(err, fs.ErrNotExist) {
		if _, part := os.Stat(filepath.Join(dir, lock.PartName)); part == nil {
			return nil, fmt.Errorf("%s has a part of a release: join all parts with %s first", dir, howto.Run("merge"))
		}
		return nil, fmt.Errorf("%s has no %s: make the release first, or name its directory with -out", dir, lock.Name)
	}
	if err != nil {
		return nil, err
	}
	if l.Snapshot {
		return nil, fmt.Errorf("%s has a snapshot, whose images no other machine can pull: "+
			"release to a registry with -registry first", dir)
	}
	d := &Dist{Dir: dir, Lock: l}
	if err := d.read(ctx, pr); err != nil {
		return nil, err
	}
	return d, d.check()
}

// read hashes all files.
func (d *Dist) read(ctx context.Context, pr *progress.Printer) (err error) {
	sums, err := evidence.Sums(d.Dir)
	if err != nil {
		return err
	}
	if sums[lock.Name] == "" {
		return fmt.Errorf("%s: %s does not list it: make the release again", filepath.Join(d.Dir, lock.Name),
			evidence.SumsName)
	}
	task := pr.Start("comparing "+d.Dir+" with "+evidence.SumsName, progress.Bytes, 0)
	defer task.Fail()
	for name, sum := range sums {
		f, err := d.hash(ctx, name, task)
		if err != nil {
			return err
		}
		if f.Digest.Hex != sum {
			return fmt.Errorf("%s is not the file that %s lists: make the release again", filepath.Join(d.Dir, name),
				evidence.SumsName)
		}
		d.Files = append(d.Files, f)
	}
	for _, name := range []string{evidence.SumsName, evidence.SumsBundle, evidence.SumsSignature} {
		f, err := d.hash(ctx, name, task)
		if errors.Is(err, fs.ErrNotExist) && name != evidence.SumsName {
			continue
		}
		if err != nil {
			return err
		}
		d.Files = append(d.Files, f)
	}
	slices.SortFunc(d.Files, func(a, b File) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Path, b.Path))
	})
	task.Done("%d files", len(d.Files))
	return nil
}

func (d *Dist) hash(ctx context.Context, name string, task *progress.Task) (File, error) {
	f, err := regular.Open(d.local(name))
	if errors.Is(err, fs.ErrNotExist) {
		return File{}, fmt.Errorf("%w: %s lists it: make the release again", err, evidence.SumsName)
	}
	if err != nil {
		return File{}, err
	}
	defer f.Close()
	if fi, err := f.Stat(); err != nil || !fi.Mode().IsRegular() || fi.Size() > maxFile || fi.Size() == 0 {
		return File{}, cmp.Or(err, d.unfit(name, fi))
	}
	sum := sha256.New()
	n, err := io.Copy(sum, progress.Reader(ctx, f, task))
	if err != nil {
		return File{}, fmt.Errorf("reading %s: %w", d.local(name), err)
	}
	return File{
		Name: assetName(name), Path: name,
		Size: n, Digest: v1.Hash{Algorithm: "sha256", Hex: hex.EncodeToString(sum.Sum(nil))},
	}, nil
}

func (d *Dist) local(name string) string { return filepath.Join(d.Dir, filepath.FromSlash(name)) }

// assetName returns the name of a file at GitHub: assets have no directories, and GitHub replaces
// other characters than these by itself.
func assetName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '.', r == '_', r == '-', r == '+':
			return r
		}
		return '.'
	}, path.Base(name))
}

// unfit states why GitHub does not take a file.
func (d *Dist) unfit(name string, fi fs.FileInfo) error {
	switch {
	case !fi.Mode().IsRegular():
		return fmt.Errorf("%s is not a file: make the release again", d.local(name))
	case fi.Size() == 0:
		return fmt.Errorf("%s is empty, which GitHub does not take: leave it out of the release", d.local(name))
	}
	return fmt.Errorf("%s has %s, and GitHub takes less than 2 GiB of a file: make bundles for fewer platforms each, "+
		"by airgap.bundles of slipway.yaml", d.local(name), progress.Size(fi.Size()))
}

// check refuses a list of files that GitHub does not take.
func (d *Dist) check() error {
	var all []error
	for n, f := range d.Files {
		if n > 0 && d.Files[n-1].Name == f.Name {
			all = append(all,
				fmt.Errorf("%s and %s would both be %s, since a release at GitHub has no directories: "+
					"rename one of them in slipway.yaml", d.Files[n-1].Path, f.Path, f.Name))
		}
	}
	if len(d.Files) > maxFiles {
		all = append(all,
			fmt.Errorf("%s has %d files, and a release at GitHub at most %d", d.Dir, len(d.Files), maxFiles))
	}
	return errors.Join(all...)
}

// Mark identifies the files of the release, whatever sends them: the digest of their list.
func (d *Dist) Mark() string {
	sum := sha256.New()
	for _, f := range d.Files {
		fmt.Fprintf(sum, "%s  %s\n", f.Digest.Hex, f.Name)
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil))
}
