package draft

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
)

// maxRounds bounds how often a draft is checked. Each round takes out at least one thing.
const maxRounds = 30

// Settle writes slipway.yaml and its Dockerfiles, none of which may exist, and checks them as a
// release does. It takes out what the check refuses and can be left out, and returns what remains:
// errors that need a hand. Where it fails, nothing of the draft is left.
func (d *Draft) Settle(ctx context.Context, say disk.Say) (remaining []string, err error) {
	unlock, made, err := d.create(ctx, say)
	if err != nil {
		return nil, err
	}
	defer unlock()
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(made))
		}
	}()
	for range maxRounds {
		faults, err := d.check(ctx)
		if err != nil {
			return nil, err
		}
		remaining = faults
		if len(faults) == 0 || !d.repair(faults) {
			return remaining, nil
		}
		if err := d.rewriteFiles(); err != nil {
			return nil, err
		}
	}
	return remaining, nil
}

// create writes the files for the first time.
func (d *Draft) create(ctx context.Context, say disk.Say) (unlock func(), made []string, err error) {
	top, err := disk.Lock(ctx, d.Dir, say)
	if err != nil {
		return nil, nil, fmt.Errorf("writing to %s: %w", d.Dir, err)
	}
	unlock = top.Unlock
	defer func() {
		if err != nil {
			err = errors.Join(err, remove(made))
			unlock()
		}
	}()
	if len(d.files) > 0 {
		sub := filepath.Join(d.Dir, directory)
		inner, err := disk.Make(ctx, sub, say)
		if err != nil {
			return nil, nil, fmt.Errorf("making %s: %w", sub, err)
		}
		made = append(made, sub)
		unlock = func() { inner.Unlock(); top.Unlock() }
	}
	for name, text := range d.contents() {
		p := filepath.Join(d.Dir, filepath.FromSlash(name))
		if err := disk.New(p, text, disk.ModeFile); err != nil {
			if errors.Is(err, os.ErrExist) {
				return nil, made, fmt.Errorf("%s is there already, and is not overwritten: remove it to begin again", p)
			}
			return nil, made, fmt.Errorf("writing %s: %w", p, err)
		}
		made = append(made, p)
	}
	return unlock, made, nil
}

// remove removes what create made, the last first.
func remove(made []string) (err error) {
	for _, p := range slices.Backward(made) {
		err = errors.Join(err, os.Remove(p))
	}
	return err
}

// contents returns the files of the draft.
func (d *Draft) contents() map[string][]byte {
	m := map[string][]byte{product.File: d.YAML()}
	for _, f := range d.files {
		m[f.path] = []byte(strings.Join(f.lines, "\n") + "\n")
	}
	return m
}

// rewriteFiles replaces the files that create made.
func (d *Draft) rewriteFiles() error {
	for name, text := range d.contents() {
		p := filepath.Join(d.Dir, filepath.FromSlash(name))
		if err := disk.Write(p, text, disk.ModeFile); err != nil {
			return fmt.Errorf("writing %s: %w", p, err)
		}
	}
	return nil
}

// check does what slipway check does, and returns what is wrong, with paths relative to the draft.
func (d *Draft) check(ctx context.Context) ([]string, error) {
	p, err := product.Load(ctx, product.Options{
		Path: filepath.Join(d.Dir, product.File), Made: []string{filepath.Join(d.Dir, ".slipway"), filepath.Join(d.Dir, "dist")},
	})
	if err == nil {
		_, err = release.Check(ctx, p)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var faults []string
	for _, e := range output.Split(err) {
		faults = append(faults, strings.ReplaceAll(e.Error(), d.Dir+string(filepath.Separator), ""))
	}
	return faults, nil
}

// place is where an error is.
var place = regexp.MustCompile(`^(?:[^\n]*?: )?([^:\s]+\.(?:Dockerfile|ya?ml)):([0-9]+)(?::[0-9]+)?: (.*)$`)

var bothAs = regexp.MustCompile(`sees templates (\S+) and (\S+) both as`)

// repair takes out what can be left out: lines of RUN, and manifests.
func (d *Draft) repair(faults []string) bool {
	changed := false
	lines := map[string][]int{} // that were taken out in this round
	for _, f := range faults {
		for line := range strings.Lines(f) {
			if m := bothAs.FindStringSubmatch(line); m != nil {
				changed = d.dropManifest(m[2], "ytt sees it and "+m[1]+" under one name") || changed
			}
			m := place.FindStringSubmatch(strings.TrimRight(line, "\n"))
			if m == nil {
				continue
			}
			if !d.has(platform.Windows) && strings.Contains(m[3], "[os-missing]") {
				changed = changed || !d.linuxOnly
				d.linuxOnly = true
				continue
			}
			n, err := strconv.Atoi(m[2])
			if err != nil {
				continue
			}
			if d.dropRun(m[1], n, m[3], lines) || d.dropManifest(d.named(m[1], n), m[3]) || d.dropChart(d.named(m[1], n), m[3]) {
				changed = true
			}
		}
	}
	if changed {
		d.removeDropped()
	}
	return changed || d.dropImages(faults)
}
