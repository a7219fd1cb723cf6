package bundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/regular"
)

// volumeSet is the volumes of a bundle in a directory, with two lists. If the first exists, all
// that it names exists. The second, the journal, exists while volumes are replaced, and names all
// that may exist then: those of the earlier split and the new ones. A process that is killed
// leaves it for the next one.
type volumeSet struct {
	dir, name     string
	list, journal string
	volume        *regexp.Regexp // the names of volumes
	file          *regexp.Regexp // those of volumes and of the lists of their images
}

func newVolumeSet(dir, name string) *volumeSet {
	volume := `^` + regexp.QuoteMeta(name) + `\.[0-9]+of[0-9]+\.`
	return &volumeSet{
		dir: dir, name: name,
		list:   filepath.Join(dir, name+VolumesSuffix),
		volume: regexp.MustCompile(volume + `tar\.zst$`), file: regexp.MustCompile(volume + `(tar\.zst|txt)$`),
		journal: filepath.Join(dir, "."+name+VolumesSuffix),
	}
}

// place removes the files of an earlier split and moves the new ones from the stage.
func (s *volumeSet) place(stage string, v *Volumes, earlier []Volume) error {
	for _, step := range s.steps(stage, v, earlier) {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// steps are what place does. Split can begin anew before and after each of them.
func (s *volumeSet) steps(stage string, v *Volumes, earlier []Volume) (all []func() error) {
	both := *v
	both.Volumes = slices.Concat(earlier, v.Volumes)
	all = append(all, func() error { return both.write(s.journal) }, func() error { return remove(s.list) })
	for _, path := range s.files(earlier) {
		all = append(all, func() error { return remove(path) })
	}
	for _, path := range s.files(v.Volumes) {
		all = append(all, func() error { return os.Rename(filepath.Join(stage, filepath.Base(path)), path) })
	}
	return append(all, func() error { return v.write(s.list) }, func() error { return remove(s.journal) })
}

func (v *Volumes) write(path string) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return disk.Write(path, append(text, '\n'), disk.ModeFile)
}

// files are the paths of volumes and of the lists of their images.
func (s *volumeSet) files(all []Volume) (paths []string) {
	for _, vol := range all {
		path := filepath.Join(s.dir, vol.File)
		paths = append(paths, path, listOf(path))
	}
	return paths
}

// remove removes a file, which may be gone.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// SplitFiles returns the names of the volumes of a bundle in dir, and of the lists of their
// images, that the lists of its splits name. A list that cannot be read names none.
func SplitFiles(dir, name string) (names []string) {
	s := newVolumeSet(dir, name)
	all, err := s.listed()
	if err != nil {
		return nil
	}
	for _, path := range s.files(all) {
		names = append(names, filepath.Base(path))
	}
	return names
}

// listed returns the volumes that the lists name.
func (s *volumeSet) listed() ([]Volume, error) {
	var all []Volume
	for _, list := range []string{s.list, s.journal} {
		var old Volumes
		text, err := regular.Read(list)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		err = oci.Decode(list, text, &old, maxValues)
		for _, vol := range old.Volumes {
			if err == nil && !s.volume.MatchString(vol.File) {
				err = fmt.Errorf("%s: %q is not the name of a volume of this bundle", list, vol.File)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%w: delete it and its volumes, or write to another directory with -out", err)
		}
		all = append(all, old.Volumes...)
	}
	return all, nil
}

// earlier finds the volumes of an earlier split of the same bundle, also of one that was killed.
// A volume that neither list names is an error: it might be of another bundle, and would be
// pushed together with the new ones.
func (s *volumeSet) earlier() ([]Volume, error) {
	all, err := s.listed()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	named := s.files(all)
	var errs []error
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		if s.file.MatchString(e.Name()) && !slices.Contains(named, path) {
			errs = append(errs,
				fmt.Errorf("%s already exists, and %s does not name it: "+
					"delete it, or write to another directory with -out", path, s.list))
		}
	}
	return all, errors.Join(errs...)
}

// listOf is the path of the list of a bundle.
func listOf(path string) string {
	return strings.TrimSuffix(path, distfile.BundleSuffix) + distfile.ListSuffix
}

// writeVolumes writes the volumes, one after the other, in a directory next to their names, which
// all get together, so that an incomplete set never looks complete.
func (b *Bundle) writeVolumes(ctx context.Context, parts []*Layout, v *Volumes, o SplitOptions) error {
	w, err := NewWriter(b.Open)
	if err != nil {
		return err
	}
	s := newVolumeSet(o.Dir, strings.TrimSuffix(v.Bundle, distfile.BundleSuffix))
	earlier, err := s.earlier()
	if err != nil {
		return err
	}
	stage, err := disk.Temp(s.dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage) // complete volumes were moved
	var total int64
	for _, l := range parts {
		total += l.Size()
	}
	task := o.Progress.Start(fmt.Sprintf("writing %d volumes", len(parts)), progress.Bytes, total)
	defer task.Fail()
	for n, l := range parts {
		name := fmt.Sprintf("%s.%dof%d.tar.zst", s.name, n+1, len(parts))
		vol, err := s.write(ctx, w, l, stage, name, task, o.MaxSize)
		if err != nil {
			return err
		}
		v.Volumes = append(v.Volumes, vol)
	}
	if err := s.place(stage, v, earlier); err != nil {
		return fmt.Errorf("placing the volumes of %s: %w", v.Bundle, err)
	}
	task.Done("%d volumes", len(parts))
	return nil
}

// write writes one volume and its list to the stage.
func (s *volumeSet) write(ctx context.Context, w *Writer, l *Layout, stage, name string, task *progress.Task,
	limit int64,
) (Volume, error) {
	task.Note(name)
	f, err := w.Write(ctx, l, filepath.Join(stage, name), "", task, func(f *File) error {
		if f.Size > limit {
			return fmt.Errorf("it has %s, more than %s: allow more with -max-size", progress.Size(f.Size),
				progress.Size(limit))
		}
		return nil
	})
	if err != nil {
		return Volume{}, fmt.Errorf("packing %s: %w", filepath.Join(s.dir, name), err)
	}
	vol := Volume{File: name, Size: f.Size, SHA256: f.SHA256}
	for _, i := range l.Contents.Images {
		vol.Images = append(vol.Images, i.Name)
	}
	return vol, l.Contents.WriteListFile(listOf(f.Path), nil)
}
