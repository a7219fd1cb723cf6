package consumers

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/core/images"
	"github.com/containerd/platforms"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/platform"
)

// windowsHosts are nodes as containerd on Windows describes them: with three numbers, and no
// revision.
var windowsHosts = []string{"10.0.17763", "10.0.20348", "10.0.26100"}

// rules are how versions of containerd choose among the manifests of an index that a host can run.
var rules = map[string]func(platforms.Matcher) platforms.MatchComparer{
	"the newest match":     func(m platforms.Matcher) platforms.MatchComparer { return newest{m} },
	"the highest revision": func(m platforms.Matcher) platforms.MatchComparer { return revised{m} },
	"the first match":      func(m platforms.Matcher) platforms.MatchComparer { return first{m} },
}

// newest is what platforms.Default is on Windows, where it is compiled only.
type newest struct{ platforms.Matcher }

func (n newest) Less(a, b ocispec.Platform) bool {
	m1, m2 := n.Match(a), n.Match(b)
	if m1 && m2 {
		return a.OSVersion > b.OSVersion
	}
	return m1 && !m2
}

// revised is what platforms.Default was on Windows in containerd 1: it orders by the fourth
// number alone.
type revised struct{ platforms.Matcher }

func (r revised) Less(a, b ocispec.Platform) bool {
	m1, m2 := r.Match(a), r.Match(b)
	if m1 && m2 {
		return revision(a) > revision(b)
	}
	return m1 && !m2
}

func revision(p ocispec.Platform) int {
	parts := strings.Split(p.OSVersion, ".")
	n, _ := strconv.Atoi(parts[len(parts)-1])
	return n
}

// first finds no manifest better than another, by which the first in the index's order remains.
type first struct{ platforms.Matcher }

func (first) Less(_, _ ocispec.Platform) bool { return false }

// atHosts asks containerd which manifest a Windows node runs of every image that was imported
// from a bundle, and whether all of it is there.
func atHosts(t *testing.T, ctx context.Context, api *client.Client, r release, b packedBundle) { //nolint:revive // t comes first in tests
	t.Helper()
	if !b.platform.IsZero() && b.platform.OS != platform.Windows {
		return
	}
	for _, version := range windowsHosts {
		if !b.platform.IsZero() && platform.Build(b.platform.OSVersion) != platform.Build(version) {
			continue // is for other nodes
		}
		for rule := range rules {
			ours, others := atHost(t, ctx, api, r, b, version, rule)
			if !r.demo || t.Failed() {
				continue
			}
			kind := "its own"
			if b.platform.IsZero() {
				kind = "all platforms"
			}
			hosts.Record(t, version, kind, rule, orDash(ours), orDash(others))
		}
	}
}

// atHost asks as one node by one rule, and returns the Windows versions of what it runs of our
// images and of third-party ones.
func atHost(t *testing.T, ctx context.Context, api *client.Client, r release, b packedBundle, version, rule string) (ours, others []string) { //nolint:revive // t comes first in tests
	t.Helper()
	host := platform.Platform{OS: platform.Windows, Architecture: "amd64", OSVersion: version}
	own, foreign := map[string]bool{}, map[string]bool{}
	for _, i := range r.images(t, b) {
		if i.single {
			continue // a manifest without an index is taken for every host's
		}
		want, seen := "", own
		if i.children == nil {
			want, seen = best(i.platforms, host), foreign
		} else if c, ok := i.child(t, host); ok {
			want = c.Platform.String()
		}
		got := runs(t, ctx, api, i, rules[rule](platforms.NewMatcher(spec(host))))
		if got != want {
			t.Errorf("a host of %s runs %s as %q by %s, want %q", version, i.name, got, rule, want)
		}
		if got != "" {
			seen[platform.Short(parse(t, got).OSVersion)] = true
		}
	}
	return sorted(own), sorted(foreign)
}

// runs is the platform of the manifest that a host runs, by what containerd says; empty for none.
func runs(t *testing.T, ctx context.Context, api *client.Client, i image, host platforms.MatchComparer) string { //nolint:revive // t comes first in tests
	t.Helper()
	img, err := api.ImageService().Get(ctx, i.name)
	if err != nil {
		t.Error(err)
		return ""
	}
	m, err := images.Manifest(ctx, api.ContentStore(), img.Target, host)
	if err != nil {
		return ""
	}
	complete, _, _, missing, err := images.Check(ctx, api.ContentStore(), img.Target, host)
	if err != nil || !complete {
		t.Errorf("%s: not all of it was imported, %v is missing: %v", i.name, missing, err)
	}
	config, err := images.ConfigPlatform(ctx, api.ContentStore(), m.Config)
	if err != nil {
		t.Error(err)
		return ""
	}
	return platform.Platform{
		OS: config.OS, Architecture: config.Architecture, Variant: config.Variant,
		OSVersion: config.OSVersion,
	}.String()
}

// best is the platform of a third-party image that a host runs: the newest build that it can.
func best(all []platform.Platform, host platform.Platform) string {
	if n := platform.Best(host, all); n >= 0 {
		return all[n].String()
	}
	return ""
}

func spec(p platform.Platform) ocispec.Platform {
	return ocispec.Platform{OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion}
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
