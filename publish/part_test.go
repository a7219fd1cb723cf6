package publish_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
)

// TestPublishPart publishes parts of what was built, which is everything.
func TestPublishPart(t *testing.T) {
	for name, tt := range map[string]struct {
		part     func(*product.Product) *product.Product
		children map[string]int
	}{
		"by platform": {func(p *product.Product) *product.Product {
			return storetest.Only(p, platform.Windows)
		}, map[string]int{"agent": 3}},
		"by name": {func(p *product.Product) *product.Product {
			part := *p
			part.Selected, part.Images = []string{"server"}, p.Images[1:2]
			return &part
		}, map[string]int{"server": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.Serve(t)
			p, st, l := cut(t, 1000)
			p.Registry = s.Host()
			l = reindex(t, st, l, func(platform.Platform) bool { return true })
			p = tt.part(p)
			out, _, err := publish.PublishPart(t.Context(), p, st, storetest.Built(l), quick)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]int{}
			want := 0
			for _, i := range out.Images {
				got[i.Name] = len(i.Children)
				want += len(i.Children)
				if img, _ := l.Image(i.Name); i.Annotations["org.opencontainers.image.title"] != i.Name &&
					img.MediaType.IsIndex() {
					t.Errorf("%s has the annotations %v", i.Name, i.Annotations)
				}
			}
			if len(got) != len(tt.children) {
				t.Errorf("published %v, want %v", got, tt.children)
			}
			for name, n := range tt.children {
				if got[name] != n {
					t.Errorf("%s has %d children, want %d", name, got[name], n)
				}
			}
			if !slices.Equal(out.Selected, p.Selected) {
				t.Errorf("the part has %v, want %v", out.Selected, p.Selected)
			}
			if n := s.Count("PUT", "/manifests/sha256:"); n != want {
				t.Errorf("%d manifests were pushed, want %d", n, want)
			}
			if n := s.Count("PUT", "/manifests/1.2.3"); n != 0 {
				t.Errorf("a part was tagged %d times", n)
			}
			// The index of the part is in the store, where packing looks for it.
			local, err := out.Local()
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := airgap.Pack(t.Context(), st, local, []airgap.Target{{Name: "all"}},
				airgap.PackOptions{Dir: t.TempDir()}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPublishPartlyBuilt publishes where less was built than is to be published, or something else.
func TestPublishPartlyBuilt(t *testing.T) {
	linux := func(r *built.Result) { r.Selected = []string{"linux/amd64"} }
	for name, tt := range map[string]struct {
		product func(*product.Product)
		built   func(*built.Result)
		keep    string // the operating system that was built; empty is all
		want    string
	}{
		"platforms lack": {
			built: linux, keep: platform.Linux,
			want: "publishing agent: build made none for windows/amd64:10.0.26100.1, " +
				"because only [linux/amd64] was built: build it first, or select the built platforms with -platforms",
		},
		"an image lacks": {
			built: func(r *built.Result) { r.Images, r.Selected = r.Images[:1], []string{"agent"} },
			want: "publishing server: build made none, because only [agent] was built: " +
				"build it first, or select the built images with -images",
		},
		"a new image": {product: func(p *product.Product) {
			p.Images = append(p.Images, product.Image{Name: "new"})
		}, want: "publishing new: build made none: build it first"},
		"a former image": {product: func(p *product.Product) {
			p.Images = p.Images[1:]
		}, want: "publishing agent: slipway.yaml has no such image: build again"},
		"former platform": {product: func(p *product.Product) {
			p.Images[0].Platforms = p.Images[0].Platforms[1:]
		}, want: "publishing agent: build made platforms of it that slipway.yaml has not: build it again"},
	} {
		t.Run(name, func(t *testing.T) {
			s := registrytest.Serve(t)
			p, st, l := cut(t, 1000)
			p.Registry = s.Host()
			l = reindex(t, st, l, func(p platform.Platform) bool { return tt.keep == "" || p.OS == tt.keep })
			r := storetest.Built(l)
			if tt.built != nil {
				tt.built(r)
			}
			if tt.product != nil {
				tt.product(p)
			}
			_, err := publish.Publish(t.Context(), p, st, r, quick)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
			if calls, _ := s.Reset(); len(calls) != 0 {
				t.Errorf("the registry was asked %v", calls)
			}
		})
	}
}

// TestPublishStaysPartial publishes a part that has all of a product: it stays a part, as it was
// built.
func TestPublishStaysPartial(t *testing.T) {
	s := registrytest.Serve(t)
	p, st, l := cut(t, 1000)
	p.Registry = s.Host()
	r := storetest.Built(l)
	r.Selected = []string{"agent", "server"}
	if _, err := publish.Publish(t.Context(), p, st, r, quick); err == nil ||
		!strings.Contains(err.Error(), "only [agent server] was built") {
		t.Errorf("a part was published as a release: %v", err)
	}
	p.Selected = []string{"server", "lifecycle"}
	out, _, err := publish.PublishPart(t.Context(), p, st, r, quick)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"agent", "server", "lifecycle"}; !slices.Equal(out.Selected, want) {
		t.Errorf("the part has %v, want %v", out.Selected, want)
	}
	if n := s.Count("PUT", "/manifests/1.2.3"); n != 0 {
		t.Errorf("a part was tagged %d times", n)
	}
}
