package airgap

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	nothing "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/product"
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
	st, l := demo(t, 1000)
	agent := &l.Images[0]
	tag := "sha256-" + agent.Digest.Hex + ".sig"
	bundle := func(tag string, by ...string) *Bundle {
		d := storetest.Put(t, st, signatures(t, by...))
		agent.Referrers = []oci.Referrer{{ArtifactType: "signature", MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Tag: tag}}
		return opened(t, pack(t, st, l, t.TempDir(), product.Bundle{Name: "signed"})[0].Path)
	}
	one, two, other := bundle(tag, "upstream"), bundle(tag, "upstream", "again"), bundle(tag, "upstream", "elsewhere")
	digest := func(b *Bundle) v1.Hash { return b.Contents().Images[0].Referrers[0].Digest }
	for _, c := range []struct {
		name   string
		there  v1.Image // under the tag
		push   []*Bundle
		want   *Bundle // nil: what was there
		pushed int
		says   string
	}{
		{"signed once more", signatures(t, "upstream"), []*Bundle{two}, two, 1, ""},
		{"an earlier release", signatures(t, "upstream", "again"), []*Bundle{one}, nil, 0, "leaving HOST/mirror/demo/agent:" + tag + " as it is"},
		{"signed by the operator", signatures(t, "upstream", "operator"), []*Bundle{two}, nil, 0, "leaving HOST/mirror/demo/agent:" + tag + " as it is"},
		{"something else", nothing.Image, []*Bundle{one}, nil, 0, "leaving HOST/mirror/demo/agent:" + tag + " as it is"},
		{"the same", signatures(t, "upstream"), []*Bundle{one}, one, 1, ""},
		{"two releases", nil, []*Bundle{one, two}, two, 1, ""},
		{"two releases, the later first", nil, []*Bundle{two, one}, two, 1, ""},
		{"two that differ", nil, []*Bundle{two, other}, two, 1, "leaving out " + digest(other).String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRegistry(t)
			repo, err := name.NewRepository(r.host() + "/mirror/demo/agent")
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
			o := to(r)
			o.Registry.Progress = progress.New(&told)
			p, err := Push(t.Context(), c.push, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Registry.Progress.Close()
			pull(t, p)
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
			if says := strings.ReplaceAll(c.says, "HOST", r.host()); !strings.Contains(told.String(), says) || says == "" && strings.Contains(told.String(), "leaving") {
				t.Errorf("it said %q, want %q", told.String(), says)
			}
		})
	}

	// Another tag of a referrer is packed by nobody, and read by nobody: it could name an image,
	// or leave the repository.
	for _, bad := range []string{"latest", "1.2.3", "../../other/manifests/1", tag + "/../x"} {
		path := relabelled(t, headers(t, one.path(t)), `"dev.slipway.referrer.tag":"`+tag, `"dev.slipway.referrer.tag":"`+bad)
		if b, err := Open(path); err == nil {
			b.Close()
			t.Errorf("a bundle with the tag %q was opened", bad)
		} else {
			says(t, err, "is not a tag of cosign")
		}
		agent.Referrers[0].Tag = bad
		_, err := Pack(t.Context(), st, l, []product.Bundle{{Name: "signed"}}, PackOptions{Dir: t.TempDir()})
		says(t, err, "is not a tag of cosign")
	}
}

// path is where the bundle's file is.
func (b *Bundle) path(t *testing.T) string {
	t.Helper()
	f, ok := b.closer.(*os.File)
	if !ok {
		t.Fatal("the bundle is no file")
	}
	return f.Name()
}
