package store

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/progress"
)

// DamagedError is the error of reading a file of the store that has other bytes than were
// written. [Store.Mend] removes such files and repeats the work; otherwise the message names the
// command that removes them.
type DamagedError struct {
	Name string // of the file, such as "blob sha256:…"
	Path string
	Why  string // the damage, such as "has digest sha256:…"
	Dir  string // of the store
}

// Error names the file, the damage and the remedy.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s is damaged: %s %s: run slipway store verify -repair -store=%s, and then this again",
		e.Name, e.Path, e.Why, e.Dir)
}

func (s *Store) damaged(name, path, why string) error {
	return &DamagedError{Name: name, Path: path, Why: why, Dir: s.dir}
}

func (s *Store) damagedBlob(h v1.Hash, why string) error {
	return s.damaged("blob "+h.String(), s.Path(h), why)
}

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
