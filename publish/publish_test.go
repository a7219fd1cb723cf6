package publish_test

import (
	"testing"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/publish"
)

func TestSnapshot(t *testing.T) {
	p, st, l := cut(t, 1000)
	for range 2 { // a snapshot can be cut again
		out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), network.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if !out.Snapshot || out.Registry != "slipway.local" {
			t.Errorf("registry %q, snapshot %v", out.Registry, out.Snapshot)
		}
		for n, i := range out.Images {
			if got, want := i.Tagged(), "slipway.local/demo/"+i.Name+":1.2.3"; got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			if l.Images[n].Repository != "" {
				t.Errorf("Publish changed the lock it was given")
			}
			d, ok, err := st.Resolve(i.Tagged())
			if err != nil || !ok || d.Digest != i.Digest {
				t.Errorf("%s in the store's index: %v %v %v", i.Tagged(), d.Digest, ok, err)
			}
		}
	}
}
