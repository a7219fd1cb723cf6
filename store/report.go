package store

import (
	"errors"
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/internal/progress"
)

// Err returns an error for each file that is still damaged.
func (r *Report) Err() error {
	var errs []error
	for _, p := range r.Damaged {
		if !p.Removed {
			errs = append(errs, errors.New(p.String()))
		}
	}
	if len(errs) > 0 {
		errs = append(errs,
			fmt.Errorf("%d damaged files in %s: run slipway store verify -repair -store=%s to remove them, "+
				"and the next run makes them again", len(errs), r.Store, r.Store))
	}
	return errors.Join(errs...)
}

// WriteTable writes the removed files and the totals. Remaining damage is reported as errors.
func (r *Report) WriteTable(w io.Writer) error {
	left := 0
	for _, p := range r.Damaged {
		if !p.Removed {
			left++
			continue
		}
		if _, err := fmt.Fprintln(w, p); err != nil {
			return err
		}
	}
	if left > 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s is intact: %d blobs (%s), %d records, %d files of work\n", r.Store,
		r.Blobs, progress.Size(r.Bytes), r.Records, r.Files)
	return err
}
