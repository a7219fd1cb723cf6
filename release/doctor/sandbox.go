package doctor

import (
	"context"
	"os"
	"path/filepath"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/sandbox"
)

// sandbox reports what protects while third-party releases are compiled. A release of one's own
// needs none of it.
func (e *examination) sandbox(ctx context.Context, f *findings) {
	dir, err := disk.Scratch("")
	if err != nil {
		f.problem("making a directory: %v: give this user the right to write there, or set TMPDIR", err)
		return
	}
	defer os.RemoveAll(dir)
	b, err := sandbox.New(ctx, sandbox.Options{Mode: sandbox.Auto, Dir: dir, Cache: filepath.Join(dir, "cache"), Programs: true})
	if err != nil {
		f.problem("%v", err)
		return
	}
	f.ok("%s", b.Protection())
}
