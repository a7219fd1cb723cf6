package airgap_test

import (
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	nothing "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// signatures is the list that cosign keeps of an image: a layer for each, which all have the same
// bytes and differ in their annotations.
func signatures(t *testing.T, by ...string) v1.Image {
	t.Helper()
	img := mutate.ConfigMediaType(mutate.MediaType(nothing.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, who := range by {
		var err error
		img, err = mutate.Append(img, mutate.Addendum{
			Layer:       static.NewLayer([]byte("the agent"), "application/vnd.dev.cosign.simplesigning.v1+json"),
			Annotations: map[string]string{"dev.cosignproject.cosign/signature": who},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return img
}

// TestPushSigned pushes an image to a registry that has it with other signatures under the tag of
// cosign, which moves with every signing: none is ever lost, and nothing stops the push.
func TestPushSigned(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Demo(t, 1000)
	agent := &l.Images[0]
	tag := "sha256-" + agent.Digest.Hex + ".sig"
	var last string
	pack := func(tag string, by ...string) *bundle.Bundle {
		d := storetest.Put(t, st, signatures(t, by...))
		agent.Referrers = []oci.Referrer{{
			ArtifactType: "signature", MediaType: d.MediaType, Digest: d.Digest,
			Size: d.Size, Tag: tag,
		}}
		last = bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "signed"})[0].Path
		return bundletest.Opened(t, last)
	}
	one := pack(tag, "upstream")
	onePath := last
	two, other := pack(tag, "upstream", "again"), pack(tag, "upstream", "elsewhere")
	digest := func(b *bundle.Bundle) v1.Hash { return b.Contents().Images[0].Referrers[0].Digest }
	for _, c := range []struct {
		name   string
		there  v1.Image // under the tag
		push   []*bundle.Bundle
		want   *bundle.Bundle // nil: what was there
		pushed int
		says   string
	}{
		{"signed once more", signatures(t, "upstream"), []*bundle.Bundle{two}, two, 1, ""},
		{
			"an earlier release", signatures(t, "upstream", "again"),
			[]*bundle.Bundle{one},
			nil, 0,
			"leaving HOST/mirror/demo/agent:" + tag + " as it is",
		},
		{
			"signed by the operator", signatures(t, "upstream", "operator"),
			[]*bundle.Bundle{two},
			nil, 0, "leaving HOST/mirror/demo/agent:" + tag + " as it is",
		},
		{
			"something else", nothing.Image,
			[]*bundle.Bundle{one},
			nil, 0,
			"leaving HOST/mirror/demo/agent:" + tag + " as it is",
		},
		{"the same", signatures(t, "upstream"), []*bundle.Bundle{one}, one, 1, ""},
		{"two releases", nil, []*bundle.Bundle{one, two}, two, 1, ""},
		{"two releases, the later first", nil, []*bundle.Bundle{two, one}, two, 1, ""},
		{"two that differ", nil, []*bundle.Bundle{two, other}, two, 1, "leaving out " + digest(other).String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := registrytest.Serve(t)
			repo, err := name.NewRepository(r.Host() + "/mirror/demo/agent")
			if err != nil {
				t.Fatal(err)
			}
			var want v1.Hash
			if c.there != nil {
				if err := remote.Write(repo.Tag(tag), c.there); err != nil {
					t.Fatal(err)
				}
				if want, err = c.there.Digest(); err != nil {
					t.Fatal(err)
				}
			}
			if c.want != nil {
				want = digest(c.want)
			}
			var told strings.Builder
			o := bundletest.To(r)
			o.Registry.Progress = progress.New(&told)
			p, err := airgap.Push(t.Context(), c.push, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Registry.Progress.Close()
			bundletest.Pull(t, p)
			d, err := remote.Head(repo.Tag(tag))
			if err != nil {
				t.Fatal(err)
			}
			if d.Digest != want {
				t.Errorf("the tag stands for %s, want %s", d.Digest, want)
			}
			if p.Referrers != c.pushed {
				t.Errorf("%d referrers went along, want %d", p.Referrers, c.pushed)
			}
			if says := strings.ReplaceAll(c.says, "HOST", r.Host()); !strings.Contains(told.String(), says) ||
				says == "" && strings.Contains(told.String(), "leaving") {
				t.Errorf("it said %q, want %q", told.String(), says)
			}
		})
	}

	// Another tag of a referrer is never packed, and never read: it could name an image, or leave
	// the repository.
	for _, bad := range []string{"latest", "1.2.3", "../../other/manifests/1", tag + "/../x"} {
		path := bundletest.Relabelled(t, bundletest.Headers(t, onePath), `"dev.slipway.referrer.tag":"`+tag,
			`"dev.slipway.referrer.tag":"`+bad)
		if b, err := bundle.Open(path); err == nil {
			b.Close()
			t.Errorf("a bundle with the tag %q was opened", bad)
		} else {
			bundletest.Says(t, err, "is not a tag of cosign")
		}
		agent.Referrers[0].Tag = bad
		_, _, err := airgap.Pack(t.Context(), st, l, []airgap.Target{{Name: "signed"}},
			airgap.PackOptions{Dir: t.TempDir()})
		bundletest.Says(t, err, "is not a tag of cosign")
	}
}
