package airgap

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	nothing "github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// attached puts an artifact with one layer into the store and returns it as a lock has it.
// Without a tag it says what it is about.
func attached(tb testing.TB, st *store.Store, kind, text, tag string, about v1.Descriptor) oci.Referrer {
	tb.Helper()
	img, err := mutate.AppendLayers(mutate.MediaType(nothing.Image, types.OCIManifestSchema1), static.NewLayer([]byte(text), types.MediaType(kind)))
	if err != nil {
		tb.Fatal(err)
	}
	img = mutate.ConfigMediaType(img, types.OCIConfigJSON)
	if tag == "" {
		img = mutate.Subject(mutate.ConfigMediaType(img, types.MediaType(kind)), about).(v1.Image)
	}
	d := storetest.Put(tb, st, img)
	return oci.Referrer{ArtifactType: kind, MediaType: d.MediaType, Digest: d.Digest, Size: d.Size, Tag: tag, Subject: about.Digest}
}

// signed is demo with an SBOM of the agent's index, a signature of that SBOM, one of the child
// for linux/amd64 by cosign's tag, and one of the child for windows.
func signed(tb testing.TB, size int) (*store.Store, *lock.Lock) {
	tb.Helper()
	st, l := demo(tb, size)
	agent := &l.Images[0]
	sbom := attached(tb, st, "application/spdx+json", "sbom", "", v1.Descriptor{MediaType: agent.MediaType, Digest: agent.Digest, Size: agent.Size})
	about := v1.Descriptor{MediaType: sbom.MediaType, Digest: sbom.Digest, Size: sbom.Size}
	sbom.Subject = v1.Hash{}
	agent.Referrers = []oci.Referrer{sbom, attached(tb, st, "application/x-signature", "of the sbom", "", about)}
	for n, c := range agent.Children[:3] {
		tag := ""
		if n == 0 {
			tag = "sha256-" + c.Digest.Hex + ".sig"
		}
		agent.Referrers = append(agent.Referrers, attached(tb, st, "application/x-signature", "of "+c.Platform.String(), tag, v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size}))
	}
	return st, l
}

// TestReferrers: what refers to an image travels with it, and with a child where the child does;
// it has no name, and stands behind all layers.
func TestReferrers(t *testing.T) {
	t.Parallel()
	st, l := signed(t, 100)
	for n, f := range pack(t, st, l, t.TempDir(), bundles(t)...) {
		c, err := Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f.Images, c.Images); d != "" {
			t.Errorf("%s (-packed +inspected):\n%s", f.Path, d)
		}
		all := l.Images[0].Referrers
		want := map[int][]oci.Referrer{0: all[:3], 1: {all[0], all[1], all[3]}, 2: all[:2], 3: all[:2], 4: {all[0], all[1], all[4]}, 5: all}[n]
		var got []oci.Referrer
		for _, r := range c.Images[0].Referrers {
			got = append(got, r.Referrer)
			if len(r.Layers) != 1 {
				t.Errorf("%s: %s has %d layers", f.Path, r.Digest, len(r.Layers))
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: referrers (-want +got):\n%s", f.Path, d)
		}
		e := entries(t, f.Path)
		if last := string(e[len(e)-1].data); !strings.HasPrefix(last, "of ") {
			t.Errorf("%s: the last blob is %.20q", f.Path, last)
		}
		var index v1.IndexManifest
		if err := json.Unmarshal(e[2].data, &index); err != nil {
			t.Fatal(err)
		}
		for _, d := range index.Manifests[len(c.Images):] {
			if d.Annotations[annotationImageName] != "" || d.Annotations[annotationRefName] != "" || d.ArtifactType == "" {
				t.Errorf("%s: index.json has %+v", f.Path, d)
			}
		}
		b, err := Open(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.Images[0].Referrers {
			rc, _, err := b.Blob(r.Layers[0].Digest)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadAll(rc); err != nil {
				t.Error(err)
			}
			rc.Close()
		}
		b.Close()
		if n == 0 {
			var table strings.Builder
			if err := c.WriteTable(&table); err != nil {
				t.Fatal(err)
			}
			for _, w := range []string{
				"with slipway.local/demo/agent:1.2.3: application/spdx+json, " + all[0].Digest.String(),
				"application/x-signature about " + all[0].Digest.String(),
				"application/x-signature by cosign's tag about " + l.Images[0].Children[0].Digest.String(),
			} {
				if !strings.Contains(table.String(), w) {
					t.Errorf("the table does not say %q:\n%s", w, table.String())
				}
			}
		}
	}
}

// TestReferrerWrong: a referrer that is about something else is not packed, nor is one that is
// not there.
func TestReferrerWrong(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*testing.T, *store.Store, *lock.Lock)
		want   string
	}{
		{"about something else", func(_ *testing.T, _ *store.Store, l *lock.Lock) {
			l.Images[1].Referrers = l.Images[0].Referrers[:1]
		}, "server: sha256:"},
		{"gone", func(t *testing.T, st *store.Store, l *lock.Lock) {
			if err := os.Remove(st.Path(l.Images[0].Referrers[0].Digest)); err != nil {
				t.Fatal(err)
			}
		}, "is not in the store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, l := signed(t, 100)
			c.change(t, st, l)
			_, err := Pack(t.Context(), st, l, bundles(t), PackOptions{Dir: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "which refers to it") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestReferrerForged: what index.json says of a referrer is held against the images and against
// its manifest.
func TestReferrerForged(t *testing.T) {
	st, l := signed(t, 100)
	f := pack(t, st, l, t.TempDir(), bundles(t)[5])[0]
	good := headers(t, f.Path)
	agent, server := l.Images[0], l.Images[1]
	for _, c := range []struct{ name, from, to, want string }{
		{"unknown image", `referrer.image":"slipway.local/demo/agent`, `referrer.image":"slipway.local/demo/other`, "which is not in it"},
		{"other image", `referrer.image":"slipway.local/demo/agent`, `referrer.image":"slipway.local/demo/server`, "which is no part of"},
		{"other subject", `referrer.subject":"` + agent.Digest.String(), `referrer.subject":"` + agent.Children[0].Digest.String(), "does not say that it is about"},
		{"no digest", `referrer.subject":"` + agent.Digest.String(), `referrer.subject":"` + agent.Digest.Hex, "which is not in it"},
		{"no manifest", `"digest":"` + agent.Referrers[0].Digest.String(), `"digest":"` + server.Digest.String(), "which refers to it"},
	} {
		if _, err := Inspect(relabelled(t, good, c.from, c.to)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}
