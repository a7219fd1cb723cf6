package airgap_test

import (
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
)

func imagesNamed(t *testing.T, names ...string) []*bundle.Contents {
	t.Helper()
	c := &bundle.Contents{}
	for _, n := range names {
		c.Images = append(c.Images, bundletest.Image(n, v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}))
	}
	return []*bundle.Contents{c}
}

func TestMirrorConfig(t *testing.T) {
	bundles := imagesNamed(t, "ghcr.io/me/agent:1", "docker.io/library/pause:3.9", "ghcr.io/me/server:1",
		"old.registry:5000/tool:2")
	for name, o := range map[string]airgap.MirrorOptions{
		"prefix":   {To: "registry.internal/mirror/kpack", CAFile: `C:\pki\ca.pem`},
		"host":     {To: "registry.internal:5000"},
		"loopback": {To: "127.0.0.1:5000/mirror"},
		"local":    {To: "registry.localhost:5000/mirror"},
	} {
		t.Run(name, func(t *testing.T) {
			files, err := airgap.MirrorConfig(bundles, o)
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			for _, f := range files {
				b.WriteString("-- " + f.Path + " --\n" + string(f.Data))
			}
			golden.Compare(t, *update, "testdata/"+"mirror-"+name+".golden", b.String())
		})
	}
}

func TestMirrorConfigErrors(t *testing.T) {
	other := imagesNamed(t, "b.example/x:1")[0]
	other.Images[0].Tree.Desc.Digest.Hex = strings.Repeat("1", 64)
	for _, c := range []struct {
		to      string
		bundles []*bundle.Contents
		want    string
	}{
		{"", imagesNamed(t, "a.example/x:1"), "write host[/prefix]"},
		{"mirror", imagesNamed(t, "a.example/x:1"), "names no host: write host[/prefix]"},
		{"https://registry.internal", imagesNamed(t, "a.example/x:1"), "write host[/prefix]"},
		{"registry.internal/", imagesNamed(t, "a.example/x:1"), "malformed prefix"},
		{"registry.internal/../x", imagesNamed(t, "a.example/x:1"), "malformed prefix"},
		{"../x", imagesNamed(t, "a.example/x:1"), "malformed host"},
		{"me:hunter22@registry.internal", imagesNamed(t, "a.example/x:1"), "do not belong here"},
		{"registry.internal/Mirror", imagesNamed(t, "a.example/x:1"), "malformed prefix"},
		{
			"registry.internal/m", append(imagesNamed(t, "a.example/x:1"), other),
			"registry.internal/m/x:1 would name two images",
		},
		{"a.example", imagesNamed(t, "a.example/x:1"), "nodes need no mirror"},
	} {
		if _, err := airgap.MirrorConfig(c.bundles, airgap.MirrorOptions{To: c.to}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("-to=%s: error %v, want %q in it", c.to, err, c.want)
		}
	}
}
