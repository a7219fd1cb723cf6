package bundle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/progress"
)

// writeVolumes writes the volumes, one after the other, in a directory next to their names. They
// get these together, so that an incomplete set never looks complete.
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
	defer os.RemoveAll(stage) // what is complete was moved
	var total int64
	for _, l := range parts {
		total += l.Size()
	}
	task := o.Progress.Start(fmt.Sprintf("writing %d volumes", len(parts)), progress.Bytes, total)
	defer task.Fail()
	for n, l := range parts {
		vol, err := s.write(ctx, w, l, stage, s.fileName(n, len(parts)), task, o.MaxSize)
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
func (s *volumeSet) write(ctx context.Context, w *Writer, l *Layout, stage, name string, task *progress.Task, limit int64) (Volume, error) {
	task.Note(name)
	f, err := w.Write(ctx, l, filepath.Join(stage, name), task, func(f *File) error {
		if f.Size > limit {
			return fmt.Errorf("it has %s, more than %s: allow more with -max-size", progress.Size(f.Size), progress.Size(limit))
		}
		return nil
	})
	if err != nil {
		return Volume{}, fmt.Errorf("packing %s: %w", filepath.Join(s.dir, name), err)
	}
	vol := Volume{File: name, Size: f.Size, SHA256: f.SHA256}
	for _, i := range l.contents.Images {
		vol.Images = append(vol.Images, i.Name)
	}
	return vol, l.contents.WriteListFile(listOf(f.Path))
}
