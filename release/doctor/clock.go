package doctor

import (
	"context"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
)

// leeway is how far the clock may be off. Tokens and certificates are valid for a limited time,
// and registries allow for some minutes.
const leeway = 5 * time.Minute

// clock compares the clock with that of each registry that is pushed to.
func (e *examination) clock(ctx context.Context, f *findings) {
	if why := e.noRegistry(); why != "" {
		f.ok("%s", why)
	}
	seen := map[string]bool{}
	for _, d := range e.product.Destinations {
		repo, err := name.NewRepository(d.Registry + "/any")
		if err != nil {
			f.problem("%v", err)
			continue
		}
		if host := repo.RegistryStr(); !seen[host] {
			seen[host] = true
			there, err := e.client.Date(ctx, repo.Registry)
			compare(f, host, time.Now(), there, err)
		}
	}
}

// compare reports how far this machine's clock is from a registry's.
func compare(f *findings, host string, here, there time.Time, err error) {
	const remedy = "set this machine's clock, since logins are valid for a limited time"
	ahead := here.Sub(there).Round(time.Minute)
	switch {
	case err != nil:
		f.ok("not compared: %s does not answer", host) // push reports why
	case there.IsZero():
		f.ok("not compared: %s does not tell the time", host)
	case ahead > leeway:
		f.problem("%s ahead of %s: %s", ahead, host, remedy)
	case ahead < -leeway:
		f.problem("%s behind %s: %s", -ahead, host, remedy)
	default:
		f.ok("that of %s", host)
	}
}
