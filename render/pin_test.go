package render_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/rendertest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render"
)

// mappings are entries of release.images.
var mappings = []product.ImageMapping{
	{Reference: "${IMG}", Image: "app", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 1}},
	{Reference: "controller", Image: "tools", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 2}},
	{Reference: "ghcr.io/old/*", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 3}},
	{Reference: "k8s.gcr.io/smb/smbplugin", Image: "app", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 4}},
	{Reference: "k8s.gcr.io/smb/smbplugin:win", Image: "tools", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 5}},
	{Reference: "ko://example.com/other/cmd/*", Pos: yamlfile.Pos{File: "slipway.yaml", Line: 6}},
}

// TestPin renders a manifest that names third-party images by tag, as other projects' do.
func TestPin(t *testing.T) {
	const snapshot = "registry.k8s.io/sig-storage/livenessprobe:v2.18.0"
	manifest := func(image string) string {
		return strings.Replace(rendertest.Deployment("image: "+image), "metadata: {name: app",
			"metadata: {annotations: {image: registry.k8s.io/pause:3.10}, name: app", 1)
	}
	for _, tt := range []struct{ name, image, want string }{
		{
			"by its tag", "registry.k8s.io/pause:3.10",
			"image: registry.k8s.io/pause@" + storetest.MadeUpDigest(9).String(),
		},
		{"by a short name", "busybox:1.36", "image: busybox@" + storetest.MadeUpDigest(10).String()},
		{
			"pinned in images.txt, left out of a snapshot",
			snapshot, "image: registry.k8s.io/sig-storage/livenessprobe@" + storetest.MadeUpDigest(12).String(),
		},
		{
			"by tag and digest", "registry.k8s.io/pause:3.10@" + storetest.MadeUpDigest(9).String(),
			"image: registry.k8s.io/pause@" + storetest.MadeUpDigest(9).String(),
		},
		{
			"by tag and digest, not in the lock", "quay.io/x/tool:1@" + storetest.MadeUpDigest(11).String(),
			"image: quay.io/x/tool:1@" + storetest.MadeUpDigest(11).String(),
		},
		{
			"by tag and digest, in another field",
			"a:1\nargs: [\"registry.k8s.io/pause:3.10@" + storetest.MadeUpDigest(9).String() + "\"]",
			"- registry.k8s.io/pause@" + storetest.MadeUpDigest(9).String(),
		},
		{
			"our own, where slipway.yaml publishes it", "registry.k8s.io/acme/app:0.16.1",
			"image: slipway.local/kpack/app@" + storetest.MadeUpDigest(1).String(),
		},
		{
			"our own, by its name in the lock", "slipway.local/kpack/app:0.16.1",
			"image: slipway.local/kpack/app@" + storetest.MadeUpDigest(1).String(),
		},
		{
			"our own, by tag and digest, as charts have it",
			"slipway.local/kpack/app:0.16.1@" + storetest.MadeUpDigest(1).String(), "image: $APP\n",
		},
		{"our own, of another release", "registry.k8s.io/acme/app:1.2.2", "image: $APP\n"},
		{"our own, by a floating tag", "registry.k8s.io/acme/app:canary", "image: $APP\n"},
		{"our own, without a tag", "registry.k8s.io/acme/app", "image: $APP\n"},
		{
			"our own, a variant that is not released", "registry.k8s.io/acme/app:1.2.2-debug",
			"image: registry.k8s.io/acme/app:1.2.2-debug\n",
		},
		{
			"our own, a tag for Windows", "registry.k8s.io/acme/app:1.2.2-windows-1809",
			"image: registry.k8s.io/acme/app:1.2.2-windows-1809\n",
		},
		{"our own, by another digest", "registry.k8s.io/acme/app@$OTHER", "image: registry.k8s.io/acme/app@$OTHER\n"},
		{"our own, of the variant with that suffix", "registry.k8s.io/acme/app:1.1.0-hp", "image: $TOOLS\n"},
		{"our own, a floating tag of that variant", "registry.k8s.io/acme/app:latest-hp", "image: $TOOLS\n"},
		{"mapped, with a tag", "k8s.gcr.io/smb/smbplugin:v0", "image: $APP\n"},
		{"mapped, without", "k8s.gcr.io/smb/smbplugin", "image: $APP\n"},
		{"mapped by its tag", "k8s.gcr.io/smb/smbplugin:win", "image: $TOOLS\n"},
		{"mapped, by digest", "k8s.gcr.io/smb/smbplugin@$OTHER", "image: $APP\n"},
		{"mapped by a short name", "controller:latest", "image: $TOOLS\n"},
		{"mapped, another text", "${IMG}", "image: $APP\n"},
		{"mapped by a pattern", "ghcr.io/old/tools:v1", "image: $TOOLS\n"},
		{"mapped by a pattern to no image", "ghcr.io/old/gone:v1", "image: ghcr.io/old/gone:v1\n"},
		{"ko, mapped by a pattern", "ko://example.com/other/cmd/tools", "image: $TOOLS\n"},
		{"ko, built from that package", "ko://example.com/app/v2/cmd/app", "image: $APP\n"},
		{"ko, another package", "ko://example.com/app/v2/cmd/gone", "image: ko://example.com/app/v2/cmd/gone\n"},
		{
			"in arguments",
			"a:1\nargs: [\"-image=registry.k8s.io/acme/app:v0\", \"--set=a=k8s.gcr.io/smb/smbplugin:win\", " +
				"\"ko://example.com/other/cmd/app\", \"registry.k8s.io/acme/app:v0\"]",
			"args:\n        - -image=$APP\n        - --set=a=$TOOLS\n        - $APP\n        - $APP\n",
		},
		{
			"in arguments, without a tag",
			"a:1\nargs: [\"--repository=registry.k8s.io/acme/app\", \"registry.k8s.io/acme/app\", " +
				"\"--app-image=registry.k8s.io/acme/app\", controller]",
			"args:\n        - --repository=registry.k8s.io/acme/app\n        - registry.k8s.io/acme/app\n " +
				"       - --app-image=$APP\n        - controller\n",
		},
		{
			"in environment",
			"a:1\nenv: [{name: APP_IMAGE, value: registry.k8s.io/acme/app}, {name: OTHER, value: " +
				"\"registry.k8s.io/acme/app:v1\"}, {name: REPOSITORY, value: registry.k8s.io/acme/app}, {name: " +
				"PAUSE, value: \"registry.k8s.io/pause:3.10\"}]",
			"env:\n        - name: APP_IMAGE\n          value: $APP\n        - name: OTHER\n          value: " +
				"$APP\n        - name: REPOSITORY\n          value: registry.k8s.io/acme/app\n        - name: " +
				"PAUSE\n          value: $PAUSE\n",
		},
		{"another tag", "registry.k8s.io/pause:3.9", "image: registry.k8s.io/pause:3.9\n"},
		{"omitted, and nobody knows the digest", "quay.io/offline/tool:1", "image: quay.io/offline/tool:1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, l := rendertest.Small(t, map[string]string{"a.yaml": manifest(tt.image)})
			l.ThirdParty = append(l.ThirdParty,
				lock.ThirdParty{Reference: snapshot + "@" + storetest.MadeUpDigest(12).String(), Omitted: "no network"})
			p.Images = []product.Image{
				{
					Name: "app", Version: "0.16.1", Elsewhere: []string{"registry.k8s.io/acme/app"},
					Content: &product.GoImage{Program: "app"},
				},
				{Name: "tools", Version: "0.16.1", Elsewhere: []string{"registry.k8s.io/acme/app"}},
			}
			l.Images[1].Tags = []string{"0.16.1-hp"}
			p.Programs = []product.Program{{Name: "app", Source: "app", Package: "./cmd/app"}}
			p.Sources = []product.Source{{Name: "app", Module: "example.com/app/v2@v2.0.0"}}
			p.Release.Images = mappings
			m, err := render.Render(t.Context(), p, l, render.Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := string(m.Text)
			if !strings.Contains(got, rendertest.References.Replace(tt.want)) {
				t.Errorf("got\n%s\nwant %s", got, tt.want)
			}
			if !strings.Contains(got, "image: registry.k8s.io/pause:3.10\n") {
				t.Errorf("the annotation has changed:\n%s", got)
			}
		})
	}
}
