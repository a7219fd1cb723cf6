package airgap

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/progress"
)

// write packs the volumes, one after the other, in a directory beside their names. They get these together, so that no half of a set is ever
// there for one that is whole.
func (b *Bundle) write(ctx context.Context, plans []*plan, l *lock.Lock, v *Volumes, o SplitOptions) error {
	enc, err := newEncoders()
	if err != nil {
		return err
	}
	dir, name := cmp.Or(o.Dir, "."), strings.TrimSuffix(v.Bundle, ".tar.zst")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	list := filepath.Join(dir, name+".volumes.json")
	stale, err := earlier(dir, name, list)
	if err != nil {
		return err
	}
	beside, err := os.MkdirTemp(dir, "."+name+".volumes-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside) // what is complete has been moved
	p := &packer{open: b.source, lock: l, dir: beside, goal: dir, enc: enc, fits: func(f *File) error {
		if f.Size > o.MaxSize {
			return fmt.Errorf("it has %s, more than %s: allow more with -max-size", progress.Size(f.Size), progress.Size(o.MaxSize))
		}
		return nil
	}}
	var total int64
	for _, pl := range plans {
		total += pl.size()
	}
	p.task = o.Progress.Start(fmt.Sprintf("writing %d volumes", len(plans)), progress.Bytes, total)
	var made []string
	for _, pl := range plans {
		f, err := p.pack(ctx, pl)
		if err != nil {
			p.task.Fail()
			return err
		}
		made = append(made, f.Path, f.List)
		vol := Volume{File: filepath.Base(f.Path), Size: f.Size, SHA256: f.SHA256}
		for _, i := range f.Images {
			vol.Images = append(vol.Images, i.Name)
		}
		v.Volumes = append(v.Volumes, vol)
	}
	if err := v.place(dir, list, beside, stale, made); err != nil {
		p.task.Fail()
		return fmt.Errorf("placing the volumes of %s: %w", v.Bundle, err)
	}
	p.task.Done("%d volumes", len(plans))
	return nil
}

// place takes away the files of an earlier split, its list first, and moves those that were made into dir, the list last: where there is a
// list, all that it names is there.
func (v *Volumes) place(dir, list, beside string, stale, made []string) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	written := filepath.Join(beside, filepath.Base(list))
	if err := os.WriteFile(written, append(text, '\n'), 0o644); err != nil { //nolint:gosec // as the volumes are, for all to read
		return err
	}
	for _, path := range append([]string{list}, stale...) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, path := range append(made, written) {
		if err := os.Rename(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			return err
		}
	}
	return nil
}

// earlier finds the files of an earlier split of the same bundle. A volume that its list does not name might be anybody's, and would be pushed
// along with the new ones.
func earlier(dir, name, list string) ([]string, error) {
	var old Volumes
	text, err := os.ReadFile(list)
	if err == nil {
		if err = decode(list, text, &old); err != nil {
			return nil, fmt.Errorf("%w: delete it and the volumes beside it, or write to another directory with -out", err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	named := map[string]bool{}
	for _, vol := range old.Volumes {
		named[vol.File] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	volume := regexp.MustCompile(`^` + regexp.QuoteMeta(name) + `\.[0-9]+of[0-9]+\.tar\.zst$`)
	var stale []string
	var errs []error
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case !volume.MatchString(e.Name()):
		case named[e.Name()]:
			stale = append(stale, path, strings.TrimSuffix(path, ".tar.zst")+".txt")
		default:
			errs = append(errs, fmt.Errorf("%s is there already, and %s does not name it: delete it, or write to another directory with -out", path, list))
		}
	}
	return stale, errors.Join(errs...)
}
