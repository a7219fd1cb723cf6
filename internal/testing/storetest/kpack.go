package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

// MadeUpDigest returns a digest of nothing, another one for each n from 0 to 255.
func MadeUpDigest(n int) v1.Hash {
	return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(fmt.Sprintf("%02x", n), 32)}
}

// MadeUpImage returns an image of kpack's lock with made-up digests; on Windows it has a stub base.
func MadeUpImage(n int, name string, platforms ...platform.Platform) lock.Image {
	i := lock.Image{
		Name: name, Kind: "go", Repository: "slipway.local/kpack/" + name, Tags: []string{"0.16.1"},
		Digest: MadeUpDigest(n),
	}
	for _, p := range platforms {
		i.Children = append(i.Children, lock.Child{
			Platform: p, Digest: MadeUpDigest(100 + n),
			Base: &lock.Base{Name: "base", Digest: MadeUpDigest(200 + n), Stub: p.OS == platform.Windows},
		})
	}
	return i
}

// Kpack returns kpack's product, as the slipway.yaml one directory up describes it, and a lock with
// made-up digests.
func Kpack(t *testing.T) (*product.Product, *lock.Lock) {
	t.Helper()
	linux := platform.Platform{OS: "linux", Architecture: "amd64"}
	windows := func(version string) platform.Platform {
		return platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: version}
	}
	both := []platform.Platform{linux, windows("10.0.26100.1"), windows("10.0.17763.1")}
	lifecycle := MadeUpImage(7, "lifecycle", linux)
	lifecycle.Children[0].ExtraOS = []string{"linux", "windows"}
	l := &lock.Lock{
		SchemaVersion: lock.SchemaVersion, Release: lock.Release{
			Name: "kpack", Version: "0.16.1", Registry: "slipway.local/kpack", Snapshot: true,
			Created: time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC),
			Sources: []lock.Source{
				{
					Name: "kpack", Module: "github.com/pivotal/kpack@v0.16.1",
					Revision: "7188425b0c96c4da0cce7cbb04872bb115213907",
				},
				{
					Name: "lifecycle", Module: "github.com/buildpacks/lifecycle@v0.20.5",
					Revision: "ddcded12be80c2d432777675bbe61a1589631541",
				},
			},
		},
		Images: []lock.Image{
			MadeUpImage(1, "controller", linux), MadeUpImage(2, "webhook", linux),
			MadeUpImage(3, "build-waiter", linux),
			MadeUpImage(4, "rebase", linux), MadeUpImage(5, "build-init", both...),
			MadeUpImage(6, "completion", both...), lifecycle,
		},
		ThirdParty: []lock.ThirdParty{{
			Reference: "registry.k8s.io/pause:3.10", Digest: MadeUpDigest(9),
			Platforms: both,
		}},
	}
	t.Setenv("SLIPWAY_REGISTRY", "")
	t.Setenv("SLIPWAY_VERSION", "")
	t.Setenv("SOURCE_DATE_EPOCH", "")
	p, err := product.Load(t.Context(), product.Options{Path: "../slipway.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	return p, l
}
