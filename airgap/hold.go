package airgap

import (
	"context"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/progress"
)

// hold keeps other processes out of a directory that something is written into.
func hold(ctx context.Context, dir string, pr *progress.Printer) (*disk.Dir, error) {
	return disk.Lock(ctx, dir, waiting(pr, dir))
}

func waiting(pr *progress.Printer, dir string) func() {
	return func() { pr.Printf("waiting for another slipway to leave %s …", dir) }
}
