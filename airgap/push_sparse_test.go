package airgap_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// TestPushSparse pushes sparse indexes to a registry that refuses them, and to one that takes
// them.
func TestPushSparse(t *testing.T) {
	t.Parallel()
	b, r := bundletest.Part(t, "linux/amd64"), registrytest.Serve(t)
	_, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, bundletest.To(r))
	bundletest.Says(t, err, "only linux/amd64 of", "demo/agent:1.2.3", "for all platforms", "-platforms linux/amd64")
	if calls, _ := r.Reset(); len(calls) != 0 {
		t.Errorf("the registry was asked %v", calls)
	}

	// go-containerregistry's registry refuses an index that lacks something.
	o := bundletest.To(r)
	o.Platforms, o.Registry.Jobs = []string{"linux/amd64"}, 1
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, "with all its platforms", "linux/arm64", "windows/amd64:10.0.17763.1", "for all platforms")

	// The bundle for all platforms completes it, and does not send existing documents again.
	r.Reset()
	all := bundletest.Whole(t, 1000)
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{all}, bundletest.To(r))
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Pull(t, p)
	calls, _ := r.Reset()
	agent := all.Contents().Images[0].Included()[0]
	if n := registrytest.Count(calls, "PUT", agent.Layers[0].Digest.Hex); n != 0 {
		t.Error("a layer was sent again")
	}
	// Now the index is there, and with all its platforms.
	if p, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	for _, i := range p.Images {
		if len(i.NotInRegistry) > 0 || !i.Existed {
			t.Errorf("%s lacks %v", i.Target, i.NotInRegistry)
		}
	}
}

// TestPushTogether pushes the bundles for each platform: together they are complete, but for an
// attestation, which is in none.
func TestPushTogether(t *testing.T) {
	st, l := bundletest.Signed(t, 1000)
	l.ThirdParty = l.ThirdParty[1:]
	var parts []*bundle.Bundle
	for _, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		if strings.HasSuffix(f.Path, "amd64.tar.zst") || strings.HasSuffix(f.Path, "arm64.tar.zst") {
			parts = append(parts, bundletest.Opened(t, f.Path))
		}
	}
	r := registrytest.Serve(t)
	p, err := airgap.Push(t.Context(), parts, bundletest.To(r))
	if err != nil {
		t.Fatal(err)
	}
	bundletest.Pull(t, p)
	if p.Referrers != 5 || len(p.Images) != 3 {
		t.Errorf("%d images were pushed and %d referrers", len(p.Images), p.Referrers)
	}

	// Another release of the same name does not mix.
	other, l2 := bundletest.Demo(t, 2000)
	parts = append(parts,
		bundletest.Opened(t, bundletest.Pack(t, other, l2, t.TempDir(), airgap.Target{Name: "other"})[0].Path))
	_, err = airgap.Push(t.Context(), parts, bundletest.To(r))
	bundletest.Says(t, err, "slipway.local/demo/agent:1.2.3", "in one bundle and", "one release")
}

func TestPushPlatforms(t *testing.T) {
	b, r := bundletest.Whole(t, 1000), registrytest.Serve(t)
	r.Inner = registrytest.Lenient(r.Inner)
	o := bundletest.To(r)
	o.Platforms = []string{"windows/amd64:ltsc2022"}
	p, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range p.Images {
		names = append(names, i.Name)
	}
	if want := []string{"slipway.local/demo/agent:1.2.3"}; !slices.Equal(names, want) ||
		len(p.Images[0].NotInRegistry) != 4 || len(p.Omitted) != 4 {
		t.Errorf("pushed %v, lacking %v, left out %v", names, p.Images[0].NotInRegistry, p.Omitted)
	}
	calls, _ := r.Reset()
	if n := registrytest.Count(calls, "PUT", "/manifests/"); n != 3 {
		t.Errorf("%d manifests were pushed, want one, its index and the tag", n)
	}

	// All of it now: the tag is there, what stands below it is not.
	o.Platforms = nil
	if p, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o); err != nil {
		t.Fatal(err)
	}
	bundletest.Pull(t, p)
	for _, i := range p.Images {
		if i.Existed || len(i.NotInRegistry) > 0 {
			t.Errorf("%s: there %v, lacking %v", i.Name, i.Existed, i.NotInRegistry)
		}
	}

	o.Platforms = []string{"linux/s390x"}
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, "-platforms linux/s390x", "no image")
	o.Platforms = []string{"plan9"}
	_, err = airgap.Push(t.Context(), []*bundle.Bundle{b}, o)
	bundletest.Says(t, err, "-platforms", "plan9")
}
