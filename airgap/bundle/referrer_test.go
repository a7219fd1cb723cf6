package bundle_test

import (
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap/bundle"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// TestReferrers: the referrers of an image are included with it, and with a child where the child
// is; they have no name, and follow all layers.
func TestReferrers(t *testing.T) {
	t.Parallel()
	st, l := bundletest.Signed(t, 100)
	for n, f := range bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)...) {
		c, err := bundle.Inspect(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(f.Contents.Images, c.Images, bundletest.Trees); d != "" {
			t.Errorf("%s (-packed +inspected):\n%s", f.Path, d)
		}
		all := l.Images[0].Referrers
		want := map[int][]oci.Referrer{
			0: all[:3], 1: {all[0], all[1], all[3]}, 2: all[:2], 3: all[:2],
			4: {all[0], all[1], all[4]}, 5: all,
		}[n]
		var got []oci.Referrer
		for _, r := range c.Images[0].Referrers {
			got = append(got, r.Referrer)
			if len(bundle.ReferrerLayers(r)) != 1 {
				t.Errorf("%s: %s has %d layers", f.Path, r.Digest, len(bundle.ReferrerLayers(r)))
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: referrers (-want +got):\n%s", f.Path, d)
		}
		e := bundletest.Entries(t, f.Path)
		if last := string(e[len(e)-1].Data); !strings.HasPrefix(last, "of ") {
			t.Errorf("%s: the last blob is %.20q", f.Path, last)
		}
		var index v1.IndexManifest
		if err := json.Unmarshal(e[2].Data, &index); err != nil {
			t.Fatal(err)
		}
		for _, d := range index.Manifests[len(c.Images):] {
			if d.Annotations[bundle.AnnotationImageName] != "" || d.Annotations[bundle.AnnotationRefName] != "" ||
				d.ArtifactType == "" {
				t.Errorf("%s: index.json has %+v", f.Path, d)
			}
		}
		b, err := bundle.Open(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range c.Images[0].Referrers {
			rc, err := b.Open(bundle.ReferrerLayers(r)[0].Digest)
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
				"with slipway.local/demo/agent:1.2.3: 1 application/spdx+json\n",
				"with slipway.local/demo/agent:1.2.3: 1 application/x-signature\n",
				"with slipway.local/demo/agent:1.2.3: 1 application/x-signature by cosign's tag\n",
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
		}, "server: referrer sha256:"},
		{"gone", func(t *testing.T, st *store.Store, l *lock.Lock) {
			if err := os.Remove(st.Path(l.Images[0].Referrers[0].Digest)); err != nil {
				t.Fatal(err)
			}
		}, "is not in the store"},
	} {
		t.Run(c.name, func(t *testing.T) {
			st, l := bundletest.Signed(t, 100)
			c.change(t, st, l)
			_, _, err := airgap.Pack(t.Context(), st, l, bundletest.Targets(t), airgap.PackOptions{Dir: t.TempDir()})
			if err == nil || !strings.Contains(err.Error(), c.want) ||
				!strings.Contains(err.Error(), ": referrer sha256:") {
				t.Errorf("error %v", err)
			}
		})
	}
}

// TestReferrerForged: what index.json says of a referrer is held against the images and against
// its manifest.
func TestReferrerForged(t *testing.T) {
	st, l := bundletest.Signed(t, 100)
	f := bundletest.Pack(t, st, l, t.TempDir(), bundletest.Targets(t)[5])[0]
	good := bundletest.Headers(t, f.Path)
	agent, server := l.Images[0], l.Images[1]
	for _, c := range []struct{ name, from, to, want string }{
		{
			"unknown image", `referrer.subject-image":"slipway.local/demo/agent`,
			`referrer.subject-image":"slipway.local/demo/other`, "which is not in it",
		},
		{
			"other image", `referrer.subject-image":"slipway.local/demo/agent`,
			`referrer.subject-image":"slipway.local/demo/server`, "which is not a part of",
		},
		{
			"other subject", `referrer.subject-digest":"` + agent.Digest.String(),
			`referrer.subject-digest":"` + agent.Children[0].Digest.String(), "does not name the subject",
		},
		{
			"no digest", `referrer.subject-digest":"` + agent.Digest.String(),
			`referrer.subject-digest":"` + agent.Digest.Hex, "which is not in it",
		},
		{
			"no manifest", `"digest":"` + agent.Referrers[0].Digest.String(), `"digest":"` + server.Digest.String(),
			"referrer sha256:",
		},
	} {
		if _, err := bundle.Inspect(bundletest.Relabelled(t, good, c.from, c.to)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v", c.name, err)
		}
	}
}
