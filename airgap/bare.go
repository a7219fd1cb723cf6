package airgap

import (
	"errors"
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// A bare manifest is in a bundle without its configuration and its layers. ctr images import
// reads every manifest of an index that its node could run, before containerd chooses the one
// that it does run, and fails where one is not there: of an index over Windows Server 2022 and
// 2025 a node of 2025 reads both. The bundle for such a node has the other manifests bare, a
// kilobyte each; what they name is never asked for
// (https://github.com/containerd/containerd/blob/v2.4.2/client/import.go). To everybody else the
// bundle does not hold them.

// addBare says of every image which manifests the bundle has bare: those that containerd reads on
// a node of its platform beside the one that is taken. One that is bare in some image is so in
// every image that lists it, unless one holds it whole: its bytes are in the bundle, and what is
// not said to be bare is taken for whole. An index may give a manifest no version where another
// one gives it one.
func (p *plan) addBare() {
	if p.bundle.Platform.IsZero() {
		return // it holds all
	}
	reads := func(d v1.Descriptor) bool {
		return d.Platform == nil || platform.MayMatch(p.bundle.Platform, platform.From(d.Platform))
	}
	read, whole := map[v1.Hash]bool{}, map[v1.Hash]bool{}
	for _, k := range p.picks {
		for _, n := range k.item.children {
			read[n.desc.Digest] = read[n.desc.Digest] || reads(n.desc)
		}
		for _, n := range k.children {
			whole[n.desc.Digest] = true
		}
	}
	for i := range p.picks {
		k := &p.picks[i]
		seen := map[v1.Hash]bool{}
		for _, n := range k.children {
			seen[n.desc.Digest] = true
		}
		for _, n := range k.item.children {
			if h := n.desc.Digest; !seen[h] && (reads(n.desc) || read[h] && !whole[h]) {
				seen[h] = true
				k.bare = append(k.bare, n.desc)
			}
		}
	}
}

// bareText is how index.json has bare manifests.
func bareText(all []v1.Descriptor) string {
	var s []string
	for _, d := range all {
		s = append(s, d.Digest.String())
	}
	return strings.Join(s, " ")
}

// readBare reads what index.json says of an image's bare manifests.
func readBare(text string) (map[v1.Hash]bool, error) {
	all := map[v1.Hash]bool{}
	for s := range strings.FieldsSeq(text) {
		h, err := v1.NewHash(s)
		if err != nil {
			return nil, fmt.Errorf("not a bundle of Slipway: %.100q is no digest of a manifest", s)
		}
		all[h] = true
	}
	return all, nil
}

// child reads one manifest of the index, as far as the bundle holds it.
func (it *item) child(d v1.Descriptor, get blobs) (node, error) {
	n := node{desc: d, absent: true}
	n.platform = platform.From(d.Platform)
	if first, named := it.named[d.Digest]; named {
		n.bare, it.named[d.Digest] = first, false
		_, err := get(d)
		if errors.Is(err, errAbsent) {
			err = fmt.Errorf("manifest %s is not in the bundle", d.Digest)
		}
		return n, err
	}
	whole, err := readNode(d, get)
	if errors.Is(err, errAbsent) {
		return n, nil
	}
	return whole, err
}
