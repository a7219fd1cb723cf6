package provenance

import (
	"slices"

	"github.com/slipway-dev/slipway/lock"
)

// tagged returns the names of an image with the given tags in all its repositories.
func tagged(i lock.Image, tags ...string) []string {
	var all []string
	for _, r := range i.Repositories() {
		for _, t := range tags {
			all = append(all, r+":"+t)
		}
	}
	return all
}

// floating returns the names of an image with its floating tags, in all its repositories.
func floating(i lock.Image) []string {
	var all []string
	for _, t := range i.FloatingTags {
		all = append(all, t.Repository+":"+t.Tag)
	}
	return all
}

// omitted lists the third-party images that the release omits.
func omitted(l *lock.Lock) []string {
	var all []string
	for _, t := range l.ThirdParty {
		if t.Omitted != "" {
			all = append(all, t.Reference)
		}
	}
	return distinct(all)
}

func distinct(list []string) []string { return slices.Compact(slices.Sorted(slices.Values(list))) }
