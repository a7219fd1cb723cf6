package airgap

import (
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
)

// kindLifecycle is the kind of images that no node runs.
const kindLifecycle = "lifecycle"

// entry is a name in a lock, and all that the lock has about its image or chart.
type entry struct {
	lock.Named

	title     string           // what messages call the image or the chart
	first     string           // the first name of the same image
	product   bool             // it is an image of the product
	chart     bool             // it is a chart
	chartName string           // of a chart
	groups    []string         // that it is in
	lifecycle bool             // included in the bundle for all platforms only
	partial   bool             // a tag for some of the image's platforms
	stub      map[v1.Hash]bool // children on stub bases
	listed    string           // the reference of a third-party image
	os        []string         // whose bundles include a third-party image; nil for all
	omitted   string           // why the release does not have a third-party image
	from      []string         // what names a third-party image
}

// entries lists what a lock names: the product's images, then the charts and third-party images.
// An image without a name has an entry without one.
func entries(l *lock.Lock) []entry {
	var all []entry
	for _, i := range l.Published() {
		chart := i.Kind == lock.KindChart
		e := entry{title: i.Name, product: !chart, chart: chart, lifecycle: i.Kind == kindLifecycle}
		if e.groups = i.Groups; chart {
			e.title, e.chartName = "chart "+i.Name, i.Name
		}
		e.stub = map[v1.Hash]bool{}
		for _, c := range i.Children {
			e.stub[c.Digest] = len(c.Stubs()) > 0
		}
		if i.Repository == "" || len(i.Tags) == 0 {
			all = append(all, e)
			continue
		}
		names := i.Names()
		for _, e.Named = range names {
			e.first, e.partial = names[0].Reference, e.Desc.Digest != i.Digest
			all = append(all, e)
		}
	}
	for _, t := range l.ThirdParty {
		all = append(all, thirdParty(t))
	}
	return all
}

func thirdParty(t lock.ThirdParty) entry {
	d := v1.Descriptor{MediaType: t.MediaType, Digest: t.Digest, Size: t.Size}
	return entry{
		Named: lock.Named{Reference: t.Reference, Desc: d, Referrers: t.Referrers},
		title: t.Reference, listed: t.Reference, os: t.OS, omitted: t.Omitted, groups: t.Groups,
		from: t.From,
	}
}
