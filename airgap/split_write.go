package airgap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/bundle/seekable"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/lock"
)

// write packs the volumes, one after the other, in a directory beside their names. They get these
// together, so that no half of a set is ever there for one that is whole.
func (b *Bundle) write(ctx context.Context, plans []*plan, l *lock.Lock, v *Volumes, o SplitOptions) error {
	enc, err := seekable.NewEncoders()
	if err != nil {
		return err
	}
	s := newVolumeSet(o.Dir, strings.TrimSuffix(v.Bundle, ".tar.zst"))
	earlier, err := s.earlier()
	if err != nil {
		return err
	}
	beside, err := disk.Temp(s.dir)
	if err != nil {
		return err
	}
	defer os.RemoveAll(beside) // what is complete has been moved
	p := &packer{open: b.source, lock: l, dir: beside, goal: s.dir, enc: enc, fits: func(f *File) error {
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
	for _, pl := range plans {
		f, err := p.pack(ctx, pl)
		if err != nil {
			p.task.Fail()
			return err
		}
		vol := Volume{File: filepath.Base(f.Path), Size: f.Size, SHA256: f.SHA256}
		for _, i := range f.Images {
			vol.Images = append(vol.Images, i.Name)
		}
		v.Volumes = append(v.Volumes, vol)
	}
	if err := s.place(beside, v, earlier); err != nil {
		p.task.Fail()
		return fmt.Errorf("placing the volumes of %s: %w", v.Bundle, err)
	}
	p.task.Done("%d volumes", len(plans))
	return nil
}
