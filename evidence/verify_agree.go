package evidence

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/slipway-dev/slipway/evidence/provenance"
)

// agree checks that two statements are of one release: of the same product, version and time, with
// the same subjects and the same third-party images. What else they were made from, and who made
// them, may differ.
func agree(a, b *provenance.Statement) error {
	pa, pb := a.Predicate.BuildDefinition.ExternalParameters, b.Predicate.BuildDefinition.ExternalParameters
	if pa.Name != pb.Name || pa.Version != pb.Version || !pa.Created.Equal(pb.Created) {
		return fmt.Errorf("one is of %s, the other of %s", release(pa.Name, pa.Version, pa.Created), release(pb.Name, pb.Version, pb.Created))
	}
	for _, pair := range [][2]*provenance.Statement{{a, b}, {b, a}} {
		for _, s := range pair[0].Subjects {
			other, ok := pair[1].Subject(s.Digest.SHA256)
			switch {
			case !ok:
				return fmt.Errorf("one lacks %.200q, sha256:%s: the two builders did not make the same", s.Name, s.Digest.SHA256)
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
					return fmt.Errorf("one lacks %.300q, an image of others", name)
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
			all = append(all, d.URI+" sha256:"+d.Digest.SHA256)
		}
	}
	return all
}
