package release

import (
	"fmt"
	"time"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/platform/distribution"
	"github.com/slipway-dev/slipway/product"
)

// Aged returns warnings about the age of the bases of p and the end of their support, a line each,
// as far as slipway.yaml and bases.lock.yaml tell them.
func Aged(p *product.Product, now time.Time) (all []string) {
	add := func(base, format string, args ...any) {
		all = append(all, fmt.Sprintf("warning: base %s: %s", base, fmt.Sprintf(format, args...)))
	}
	for _, b := range p.Bases {
		for _, i := range b.Images {
			if text := agedImage(b, i, now); text != "" {
				add(b.Name+" for "+i.Platform.String(), "%s", text)
			}
		}
	}
	return all
}

func agedImage(b product.Base, i product.BaseImage, now time.Time) string {
	if i.Platform.OS == platform.Windows && b.AnyBuild {
		return "" // HostProcess containers use nothing of the system in it
	}
	s := distribution.SupportOf(i.Reference.Context().Name()+":"+i.Tag, i.Platform.OSVersion)
	if i.Platform.OS != platform.Windows || s.Ended(now) {
		return s.State(now)
	}
	if i.Lock == nil || i.Lock.Created.IsZero() {
		return ""
	}
	if n, last := platform.PatchDays(i.Lock.Created, now); n >= platform.Behind {
		return fmt.Sprintf("it is of %s, and Microsoft has had %d patch days since, the last on %s: run %s",
			i.Lock.Created.Format(time.DateOnly), n, last.Format(time.DateOnly), howto.Run("pin bases -update"))
	}
	return ""
}
