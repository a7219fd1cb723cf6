package publish_test

import (
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
)

// named gives the first image of p tags of every kind, and lets the second share its repository.
func named(p *product.Product) {
	agent, server := &p.Images[0], &p.Images[1]
	agent.Repositories, server.Repositories = []string{"team/all", "all"}, []string{"team/all", "all"}
	p.Images[2].Repositories = []string{"team/lifecycle", "lifecycle"}
	agent.Tags, server.Tags = []string{"v1.2.3", "v1.2.3-full"}, []string{"v1.2.3-server"}
	windows := storetest.Only(p, platform.Windows).Images[0].Platforms
	agent.PlatformTags = []product.PlatformTag{
		{Tag: "v1.2.3-windows", Platforms: windows},
		{Tag: "v1.2.3-linux-amd64", Platforms: agent.Platforms[:1]},
	}
}

// digestOf returns what a registry has under a name.
func digestOf(t *testing.T, ref string) string {
	t.Helper()
	r, err := name.ParseReference(ref)
	if err != nil {
		t.Fatal(err)
	}
	d, err := remote.Get(r)
	if err != nil {
		t.Fatal(err)
	}
	return d.Digest.String()
}

// TestNames publishes images under names of their own to two registries.
func TestNames(t *testing.T) {
	p, st, l := cut(t, 1000)
	first, second := registrytest.Serve(t), registrytest.Serve(t)
	p.Registry = first.Host()
	p.Destinations = []product.Destination{
		{Registry: first.Host()},
		{Name: "other", Registry: second.Host() + "/mirror"},
	}
	named(p)
	out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	checkNames(t, out, 4)
	mirror, ok := out.At(second.Host() + "/mirror")
	if !ok {
		t.Fatal("the lock does not know the second registry")
	}
	checkNames(t, mirror, 4)
	if got := mirror.Images[0].Tagged(); got != second.Host()+"/mirror/all:v1.2.3" {
		t.Errorf("the image is %s at the second registry", got)
	}
	calls, _ := first.Reset()
	for _, c := range calls {
		if strings.Contains(c, "PUT") && strings.Contains(c, "latest") {
			t.Error(c)
		}
	}

	// Nothing is sent again.
	if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick); err != nil {
		t.Fatal(err)
	}
	if n := first.Count("PUT", "") + first.Count("POST", ""); n != 0 {
		t.Errorf("%d requests sent something again", n)
	}
}

// checkNames pulls every name of a lock, of which the first image has want many.
func checkNames(t *testing.T, l *lock.Lock, want int) {
	t.Helper()
	if n := len(l.Images[0].Names()); n != want {
		t.Errorf("the image has %d names, want %d", n, want)
	}
	for _, i := range l.Images {
		for _, n := range i.Names() {
			if got := digestOf(t, n.Reference); got != n.Desc.Digest.String() {
				t.Errorf("%s is %s, the lock has %s", n.Reference, got, n.Desc.Digest)
			}
		}
	}
	if w := l.Images[0].PlatformTags[0]; !w.MediaType.IsIndex() || len(w.Platforms) != 3 {
		t.Errorf("the tag for Windows is %+v", w)
	}
	if x := l.Images[0].PlatformTags[1]; x.Digest != l.Images[0].Children[0].Digest {
		t.Errorf("the tag for Linux is %+v", x)
	}
}

// TestMergeNames merges parts, and compares the lock with that of a release that one machine made.
func TestMergeNames(t *testing.T) {
	p, st, l := cut(t, 1000)
	whole, parts := registrytest.Serve(t), registrytest.Serve(t)
	p.Registry = whole.Host()
	named(p)
	for n := range p.Images {
		p.Images[n].Repositories = p.Images[n].Repositories[:1]
	}
	want, err := publish.Publish(t.Context(), p, st, storetest.Built(l), quick)
	if err != nil {
		t.Fatal(err)
	}
	p.Registry = parts.Host()
	var all []*lock.Part
	for _, os := range []string{platform.Linux, platform.Windows} {
		part, _, err := publish.PublishPart(t.Context(), storetest.Only(p, os), st, storetest.Built(l), quick)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, part)
	}
	if n := parts.Count("PUT", "/manifests/v1.2.3"); n != 0 {
		t.Errorf("the parts have put %d tags", n)
	}
	got, err := merge(t, p, storetest.Open(t), all)
	if err != nil {
		t.Fatal(err)
	}
	checkNames(t, got, 4)
	for n, i := range got.Images[0].PlatformTags {
		if w := want.Images[0].PlatformTags[n]; i.Digest != w.Digest {
			t.Errorf("%s is %s, one machine made %s", i.Tag, i.Digest, w.Digest)
		}
	}
}
