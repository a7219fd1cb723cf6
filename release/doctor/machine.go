package doctor

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/sandbox"
)

// leastFree is how much room, in bytes, the store and the output directory should each have. A
// release of a few images with Windows bases takes about half of it.
const leastFree = 2 << 30

// disks reports whether the store and the output directory can be locked and written.
func (e *examination) disks(ctx context.Context, f *findings) {
	for _, d := range []struct{ what, flag, dir string }{
		{"store", "store", e.Store},
		{"output directory", "out", e.Out},
	} {
		busy, free, err := disk.Usable(ctx, d.dir)
		switch {
		case err != nil:
			f.problem("%s %s: %v: give this user the right to write there, or choose another directory with -%s",
				d.what, d.dir, err, d.flag)
		case free < leastFree:
			f.problem("%s %s: %s are free: make room for %s, or choose another disk with -%s", d.what,
				d.dir, progress.Size(int64(free)), progress.Size(leastFree), d.flag)
		case busy:
			f.ok("%s %s: another slipway uses it; %s are free", d.what, d.dir, progress.Size(int64(free)))
		default:
			f.ok("%s %s: %s are free", d.what, d.dir, progress.Size(int64(free)))
		}
	}
}

// proxies reports the settings of proxies, without passwords.
func (e *examination) proxies(ctx context.Context, f *findings) {
	list, malformed := network.Proxies()
	for _, err := range malformed {
		f.problem("%v", err)
	}
	// Without Go, GOPROXY is unknown; the check of Go reports that.
	if settings, err := source.Settings(ctx, "GOPROXY"); err == nil {
		list = append(list, "GOPROXY="+network.WithoutAccounts(settings[0]))
	}
	if len(list) == 0 {
		list = []string{"none"}
	}
	f.ok("%s", strings.Join(list, " "))
}

// sandbox reports what protects while other releases are compiled. A release of one's own
// needs none of it.
func (e *examination) sandbox(ctx context.Context, f *findings) {
	dir, err := disk.Scratch("")
	if err != nil {
		f.problem("making a directory: %v: give this user the right to write there, or set TMPDIR", err)
		return
	}
	defer os.RemoveAll(dir)
	b, err := sandbox.New(ctx,
		sandbox.Options{Mode: sandbox.Auto, Dir: dir, Cache: filepath.Join(dir, "cache"), Programs: true})
	if err != nil {
		f.problem("%v", err)
		return
	}
	f.ok("%s", b.Protection())
}
