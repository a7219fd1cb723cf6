package airgap

import (
	"github.com/slipway-dev/slipway/internal/progress"
)

func waiting(pr *progress.Printer, dir string) func() {
	return func() { pr.Printf("waiting for another slipway to leave %s …", dir) }
}
