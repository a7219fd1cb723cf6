//go:build linux && amd64

package torture

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"
)

// clocks run commands where a clock was ahead when the files were written: their times are still to
// come.
func clocks() (cases []fault) {
	for _, name := range []string{
		"release-again", "release-changed", "release-to-again", "pack",
		"split-again", "clean-old",
	} {
		s := find(name)
		for _, by := range []time.Duration{time.Hour, 400 * 24 * time.Hour} {
			cases = append(cases, fault{
				kind: "clock", scenario: s, name: fmt.Sprintf("%s/%v", s.name, by), heals: true,
				strike: func(w *worker, _ *rand.Rand) outcome {
					w.must(ahead(w.dir, by))
					return w.run(s.command)
				},
			})
		}
	}
	return cases
}

// ahead sets the time of every file to one that is still to come.
func ahead(dir string, by time.Duration) error {
	then := time.Now().Add(by)
	return filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, then, then)
	})
}
