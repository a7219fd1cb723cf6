package evidence

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/output"
)

// agree checks that two statements are of one release: of the same product, version and time, with
// the same subjects and the same third-party images. What else they were made from, and who made
// them, may differ.
func agree(a, b *provenance.Statement) error {
	pa, pb := a.Predicate.BuildDefinition.ExternalParameters, b.Predicate.BuildDefinition.ExternalParameters
	if pa.Name != pb.Name || pa.Version != pb.Version || !pa.Created.Equal(pb.Created) {
		return fmt.Errorf("one is of %s, the other of %s", release(pa.Name, pa.Version, pa.Created),
			release(pb.Name, pb.Version, pb.Created))
	}
	for _, pair := range [][2]*provenance.Statement{{a, b}, {b, a}} {
		for _, s := range pair[0].Subjects {
			other, ok := pair[1].Subject(s.Digest.SHA256)
			switch {
			case !ok:
				return fmt.Errorf("one lacks %.200q, sha256:%s: the two builders did not make the same",
					s.Name, s.Digest.SHA256)
			case s.Name != other.Name || !slices.Equal(s.Annotations.Names, other.Annotations.Names):
				return fmt.Errorf("one calls sha256:%s %.200q, the other %.200q", s.Digest.SHA256, s.Name, other.Name)
			case !reflect.DeepEqual(s.Annotations, other.Annotations):
				return fmt.Errorf("they describe %.200q, sha256:%s, in two ways", s.Name, s.Digest.SHA256)
			}
		}
	}
	if x, y := thirdParty(a), thirdParty(b); !slices.Equal(x, y) {
		for _, only := range [][2][]string{{x, y}, {y, x}} {
			for _, name := range only[0] {
				if !slices.Contains(only[1], name) {
					return fmt.Errorf("one lacks %.300q, a third-party image", name)
				}
			}
		}
	}
	return nil
}

// thirdParty lists the third-party images in a statement, in its order, and those that it omits.
func thirdParty(s *provenance.Statement) []string {
	all := slices.Clone(s.Predicate.BuildDefinition.ExternalParameters.Omitted)
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Annotations.Kind == provenance.KindImage {
			all = append(all, d.URI+" sha256:"+d.Digest.SHA256+" "+strings.Join(d.Annotations.Names, " "))
		}
	}
	return all
}

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
	return fmt.Sprintf("not older than %s of %s, which runs here", output.Line(f.Version),
		f.Created.UTC().Format(time.RFC3339))
}

// CheckSince refuses a release that is older than one whose statement was verified. A lower version
// is older. Where the versions do not decide, because they are equal or not semantic
// (https://semver.org), an earlier time is. No clock is asked.
func (r *Report) CheckSince(old *provenance.Statement) error {
	was := old.Predicate.BuildDefinition.ExternalParameters
	if was.Name != r.Product {
		return fmt.Errorf("-since is of %.200q, and this is %.200q: name a release of the same product",
			was.Name, r.Product)
	}
	this, floor := imagetag.Stamp{Version: r.Version, Created: r.Created},
		imagetag.Stamp{Version: was.Version, Created: was.Created}
	older, _ := imagetag.Forward(this, floor)
	newer, _ := imagetag.Forward(floor, this)
	if older || !newer && r.Created.Before(was.Created) {
		return fmt.Errorf("%s is older than what runs here, %s: a signature does not expire, "+
			"so an old release with known holes verifies as well; leave -since out to go back on purpose",
			release(r.Product, r.Version, r.Created), release(was.Name, was.Version, was.Created))
	}
	r.Since = &Floor{
		Version: was.Version, Created: was.Created,
		Same: was.Version == r.Version && was.Created.Equal(r.Created),
	}
	return nil
}
