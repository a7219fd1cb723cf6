package release

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/render/chart"
	"github.com/slipway-dev/slipway/report"
)

// page begins to write the page about the release, while other files are written. wait returns
// what became of it, and may be called again. The page states the key, and is signed with the
// checksums after that; so it knows the key by the statement, which is signed already.
func (c *run) page(ctx context.Context, r result) (wait func() error) {
	write := sync.OnceValue(func() error {
		var text bytes.Buffer
		content, err := c.pageContent(r)
		if err == nil {
			err = content.Complete(ctx)
		}
		if err == nil {
			err = report.Write(&text, content, nil)
		}
		if err != nil {
			return fmt.Errorf("writing %s: %w", report.Name, err)
		}
		return c.write(report.Name, text.Bytes(), disk.ModeFile)
	})
	go write() //nolint:errcheck // wait returns it
	return write
}

// pageContent returns what the page is about.
func (c *run) pageContent(r result) (*report.Release, error) {
	out := &report.Release{
		Manifest: r.manifest, Allow: c.described.Lint.Allow, Statement: r.proof.statement, Keys: r.proof.keys,
	}
	out.Lock, out.Summary = r.lock, r.bills.summary
	for _, f := range r.bundles {
		f.Path = filepath.Base(f.Path)
		if f.Gzip != nil {
			gzip := *f.Gzip
			gzip.Path = filepath.Base(gzip.Path)
			f.Gzip = &gzip
		}
		out.Bundles = append(out.Bundles, f)
	}
	for _, made := range r.lock.Charts {
		f, err := c.store.Open(made.File.Digest)
		if err != nil {
			return nil, err
		}
		read, err := chart.Read(made.File.Name, f)
		f.Close()
		if err != nil {
			return nil, err
		}
		out.Charts = append(out.Charts, read)
	}
	return out, nil
}
