package release

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/sbom"
	"github.com/slipway-dev/slipway/internal/chart"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/report"
)

// page begins to write the page about the release, while other files are written. wait returns
// what became of it, and may be called again. The page states the key, and is signed with the
// checksums after that; so it knows the key by the statement, which is signed already.
func (c *run) page(ctx context.Context, l *lock.Lock, manifest []byte, bills []bill, bundles []bundle.File) (wait func() error) {
	write := sync.OnceValue(func() error {
		r, err := c.about(l, manifest, bills, bundles)
		var page bytes.Buffer
		if err == nil {
			err = r.Complete(ctx)
		}
		if err == nil {
			err = report.Write(&page, r, nil)
		}
		if err == nil {
			err = disk.Write(filepath.Join(c.out, report.Name), page.Bytes(), disk.ModeFile)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", report.Name, err)
		}
		return nil
	})
	go write() //nolint:errcheck // wait returns it
	return write
}

// about returns what the page is about.
func (c *run) about(l *lock.Lock, manifest []byte, bills []bill, bundles []bundle.File) (*report.Release, error) {
	r := &report.Release{Manifest: manifest, Allow: c.described.Lint.Allow, Statement: c.stated}
	r.Lock = l
	for _, f := range bundles {
		f.Path = filepath.Base(f.Path)
		r.Bundles = append(r.Bundles, f)
	}
	if c.signed != nil {
		key, err := evidence.Claim(c.signed)
		if err != nil {
			return nil, err
		}
		r.Keys = []string{key}
	}
	for _, chart := range l.Charts {
		read, err := c.readChart(chart)
		if err != nil {
			return nil, err
		}
		r.Charts = append(r.Charts, read)
	}
	for _, b := range bills {
		if b.image != "" {
			continue
		}
		var err error
		if r.Summary, err = sbom.Summarize(b.data, l); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// readChart reads a chart of the release, which the store has.
func (c *run) readChart(made lock.Chart) (*chart.Chart, error) {
	f, err := c.store.Open(made.File.Digest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return chart.Read(made.File.Name, f)
}
