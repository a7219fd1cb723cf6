package transfer_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// quick retries at once.
var quick = network.Options{Wait: time.Microsecond}

// TestPushNotInSource pushes images of which a blob is in the registry only, and there in the
// repository of one that comes later.
func TestPushNotInSource(t *testing.T) {
	st := storetest.Open(t)
	l := storetest.Release(t, st, 1000)
	s := registrytest.Serve(t)
	s.Inner = registrytest.Separate(s.Inner)
	first := *l
	first.Images = l.Images[:1]
	p := storetest.Product(t, &first)
	p.Registry = s.Host()
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(&first), quick); err != nil {
		t.Fatal(err)
	}
	single := l.Images[2].Children[0]
	top, err := oci.Read(v1.Descriptor{Digest: single.Digest}, st.Get, oci.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var images []transfer.Image
	for _, name := range []string{"lifecycle", "agent"} {
		images = append(images, transfer.Image{Name: name, Ref: s.Repo(t, "demo/"+name).Tag("2"), Tree: top})
	}
	shared := top.Layers[1].Digest // with the agent on Windows
	source := transfer.Source{
		Has: func(h v1.Hash) bool { return h != shared },
		Open: func(h v1.Hash) (io.ReadCloser, error) {
			if h == shared {
				return nil, errors.New("it is elsewhere")
			}
			return st.Open(h)
		},
	}
	if _, err := transfer.New(quick).Push(t.Context(), images, source, transfer.PushOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, i := range images {
		got, err := remote.Image(i.Ref)
		if err == nil {
			err = validate.Image(got)
		}
		if err != nil {
			t.Errorf("%s: %v", i.Ref, err)
		}
	}

	// Where no registry has it, nothing is sent.
	s = registrytest.Serve(t)
	_, err = transfer.New(quick).Push(t.Context(),
		[]transfer.Image{{Name: "lifecycle", Ref: s.Repo(t, "lifecycle").Tag("2"), Tree: top}}, source,
		transfer.PushOptions{})
	if err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("got %v", err)
	}
	if _, sent := s.Reset(); sent != 0 {
		t.Errorf("%d bytes were sent", sent)
	}
}
