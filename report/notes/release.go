package notes

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/report/changes"
)

// ForRelease writes the notes of the release in a directory, which has the lock l. since is the
// directory or the lock of an older release, to list what changed; "" for none.
func ForRelease(dir, since string, l *lock.Lock) (string, error) {
	now, err := changes.Read(dir, l)
	if err != nil {
		return "", err
	}
	var o Options
	if since != "" {
		if fi, err := os.Stat(since); err == nil && fi.IsDir() {
			since = filepath.Join(since, lock.Name)
		}
		old, err := lock.Read(since)
		if err != nil {
			return "", err
		}
		if old.Name != l.Name {
			return "", fmt.Errorf("-since is of %s, and this is %s: name a release of the same product",
				output.Line(old.Name), output.Line(l.Name))
		}
		before, err := changes.Read(filepath.Dir(since), old)
		if err != nil {
			return "", err
		}
		o.Old = &before
	}
	if o.Fingerprint, err = evidence.ClaimFile(filepath.Join(dir, evidence.SumsBundle)); err != nil {
		return "", err
	}
	return Write(now, o), nil
}
