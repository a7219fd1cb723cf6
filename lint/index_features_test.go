package lint_test

import (
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// TestHostsWithoutFeatures has a node, and images of which all or some entries need a feature.
func TestHostsWithoutFeatures(t *testing.T) {
	native := lint.Entry{Desc: v1.Descriptor{
		Digest: v1.Hash{Algorithm: "sha256", Hex: "1"}, Platform: &v1.Platform{
			OS: "linux", Architecture: "amd64", OSFeatures: []string{"erofs"},
		},
	}}
	plain := lint.Entry{Desc: v1.Descriptor{
		Digest: v1.Hash{Algorithm: "sha256", Hex: "2"}, Platform: &v1.Platform{OS: "linux", Architecture: "amd64"},
	}}
	o := lint.IndexOptions{Hosts: []lint.Host{{
		Name: "n", Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
	}}}
	for _, tc := range []struct {
		entries []lint.Entry
		want    bool
	}{{[]lint.Entry{native}, true}, {[]lint.Entry{native, plain}, false}} {
		r := lint.CheckIndexes([]lint.Index{{Name: "app", Entries: tc.entries}}, o)
		if got := slices.Contains(ids(r.Findings), "index-node"); got != tc.want {
			t.Errorf("%d entries: found %q", len(tc.entries), ids(r.Findings))
		}
	}
}
