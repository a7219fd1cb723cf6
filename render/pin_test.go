package render_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// TestPin renders a manifest that names images of others by tag, as other projects' do.
func TestPin(t *testing.T) {
	const snapshot = "registry.k8s.io/sig-storage/livenessprobe:v2.18.0"
	manifest := func(image string) string {
		return strings.Replace(deployment("image: "+image), "metadata: {name: app", "metadata: {annotations: {image: registry.k8s.io/pause:3.10}, name: app", 1)
	}
	for _, tt := range []struct{ name, image, want string }{
		{"by its tag", "registry.k8s.io/pause:3.10", "image: registry.k8s.io/pause@" + storetest.MadeUpDigest(9).String()},
		{"by a short name", "busybox:1.36", "image: busybox@" + storetest.MadeUpDigest(10).String()},
		{"pinned in images.txt, left out of a snapshot", snapshot, "image: registry.k8s.io/sig-storage/livenessprobe@" + storetest.MadeUpDigest(12).String()},
		{"by tag and digest", "registry.k8s.io/pause:3.10@" + storetest.MadeUpDigest(9).String(), "image: registry.k8s.io/pause@" + storetest.MadeUpDigest(9).String()},
		{"by tag and digest, not in the lock", "quay.io/x/tool:1@" + storetest.MadeUpDigest(11).String(), "image: quay.io/x/tool:1@" + storetest.MadeUpDigest(11).String()},
		{"by tag and digest, in another field", "a:1\nargs: [\"registry.k8s.io/pause:3.10@" + storetest.MadeUpDigest(9).String() + "\"]", "- registry.k8s.io/pause@" + storetest.MadeUpDigest(9).String()},
		{"our own, where slipway.yaml publishes it", "registry.k8s.io/acme/app:0.16.1", "image: slipway.local/kpack/app@" + storetest.MadeUpDigest(1).String()},
		{"our own, by its name in the lock", "slipway.local/kpack/app:0.16.1", "image: slipway.local/kpack/app@" + storetest.MadeUpDigest(1).String()},
		{"our own, another tag", "registry.k8s.io/acme/app:1.2.2", "image: registry.k8s.io/acme/app:1.2.2\n"},
		{"another tag", "registry.k8s.io/pause:3.9", "image: registry.k8s.io/pause:3.9\n"},
		{"omitted, and nobody knows the digest", "quay.io/offline/tool:1", "image: quay.io/offline/tool:1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, l := small(t, map[string]string{"a.yaml": manifest(tt.image)})
			l.ThirdParty = append(l.ThirdParty, lock.ThirdParty{Reference: snapshot + "@" + storetest.MadeUpDigest(12).String(), Omitted: "no network"})
			p.Images = []product.Image{{Name: "app", Elsewhere: []string{"registry.k8s.io/acme/app"}}}
			m, err := render.Render(t.Context(), p, l, render.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := string(m.Text)
			if !strings.Contains(got, tt.want) {
				t.Errorf("got\n%s\nwant %s", got, tt.want)
			}
			if !strings.Contains(got, "image: registry.k8s.io/pause:3.10\n") {
				t.Errorf("the annotation has changed:\n%s", got)
			}
		})
	}
}
