package bundletest

import (
	"bytes"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// Later is the next release in the same store: another server, one image more, no tool, a
// signature of the agent.
func Later(tb testing.TB, st *store.Store, l *lock.Lock) *lock.Lock {
	tb.Helper()
	n := *l
	n.Version = "1.3.0"
	n.Created = l.Created.AddDate(0, 1, 0)
	n.Images = slices.Clone(l.Images)
	n.ThirdParty = slices.Delete(slices.Clone(l.ThirdParty), 1, 2)
	for k := range n.Images {
		n.Images[k].Tags = []string{n.Version}
	}
	child := storetest.Child{
		Platform: Parse(tb, "linux/amd64"),
		Layers:   []v1.Layer{storetest.Layer(tb, "ko-app/server", "another server", 30_000)},
	}
	server := storetest.Index(tb, st, "server", child)
	server.Repository, server.Tags = n.Images[1].Repository, []string{n.Version}
	n.Images[1] = server
	more := storetest.Index(tb,
		st,
		"more",
		storetest.Child{
			Platform: Parse(tb, "linux/amd64"),
			Layers: []v1.Layer{
				Plain(tb, bytes.Repeat([]byte("compresses"), 100_000)),
				storetest.Layer(tb, "more", "more", 20_000),
			},
		})
	more.Repository, more.Tags = "slipway.local/demo/more", []string{n.Version}
	n.Images = append(n.Images, more)
	agent := &n.Images[0]
	agent.Referrers = []oci.Referrer{Attached(tb, st, "application/x-signature", "of the agent",
		"", v1.Descriptor{MediaType: agent.MediaType, Digest: agent.Digest, Size: agent.Size})}
	return &n
}
