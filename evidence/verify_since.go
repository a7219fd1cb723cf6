package evidence

import (
	"fmt"
	"time"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/output"
)

// Floor is the release that runs already: an older one is refused.
type Floor struct {
	Version string    `json:"version"`
	Created time.Time `json:"created"`
	Same    bool      `json:"same"` // it is the release itself
}

// String states how a release compares with the floor.
func (f *Floor) String() string {
	if f.Same {
		return "it is the release that runs here"
	}
	return fmt.Sprintf("not older than %s of %s, which runs here", output.Line(f.Version), f.Created.UTC().Format(time.RFC3339))
}

// CheckSince refuses a release that is older than one whose statement was verified. A lower version
// is older. Where the versions do not decide, because they are equal or not semantic
// (https://semver.org), an earlier time is. No clock is asked.
func (r *Report) CheckSince(old *provenance.Statement) error {
	was := old.Predicate.BuildDefinition.ExternalParameters
	if was.Name != r.Product {
		return fmt.Errorf("-since is of %.200q, and this is %.200q: name a release of the same product", was.Name, r.Product)
	}
	this, floor := imagetag.Stamp{Version: r.Version, Created: r.Created}, imagetag.Stamp{Version: was.Version, Created: was.Created}
	older, _ := imagetag.Forward(this, floor)
	newer, _ := imagetag.Forward(floor, this)
	if older || !newer && r.Created.Before(was.Created) {
		return fmt.Errorf("%s is older than what runs here, %s: a signature does not expire, so an old release with known holes verifies as well; leave -since out to go back on purpose",
			release(r.Product, r.Version, r.Created), release(was.Name, was.Version, was.Created))
	}
	r.Since = &Floor{Version: was.Version, Created: was.Created, Same: was.Version == r.Version && was.Created.Equal(r.Created)}
	return nil
}
