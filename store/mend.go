package store

import (
	"context"
	"errors"

	"github.com/slipway-dev/slipway/internal/progress"
)

// Mend calls f, which works with the store. If f fails because something in the store is damaged,
// Mend reads the store, removes everything that is damaged and calls f once more, which rebuilds
// or fetches it. The caller has the lock.
func (s *Store) Mend(ctx context.Context, pr *progress.Printer, f func() error) error {
	err := f()
	var d *DamagedError
	if !errors.As(err, &d) || ctx.Err() != nil {
		return err
	}
	pr.Printf("%s is damaged: it %s: removing damaged files in %s, and starting again", d.Name, d.Why, s.dir)
	report, verifyErr := s.Verify(ctx, VerifyOptions{Repair: true, Progress: pr})
	if verifyErr != nil {
		return errors.Join(err, verifyErr)
	}
	for _, p := range report.Damaged {
		pr.Printf("%s", p)
	}
	return f()
}
