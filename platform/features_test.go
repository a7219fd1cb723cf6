package platform_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/containerd/platforms"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/platform"
)

// TestFeatures reads platforms with os.features, writes them as containerd does, and keeps them in
// a descriptor.
func TestFeatures(t *testing.T) {
	for in, want := range map[string]struct{ text, features, slug string }{
		"linux(+erofs)/amd64":         {"linux(+erofs)/amd64", "erofs", "linux+erofs-amd64"},
		"linux(+b+a+b)/arm/v7":        {"linux(+a+b)/arm/v7", "a b", "linux+a+b-arm-v7"},
		"linux(+a%2Bb+c%20d)/amd64":   {"linux(+a%2Bb+c%20d)/amd64", "a+b c d", "linux+a%2Bb+c%20d-amd64"},
		"linux(+%65rofs)/amd64":       {"linux(+erofs)/amd64", "erofs", "linux+erofs-amd64"},
		"windows(+x)/amd64:ltsc2022":  {"windows(+x)/amd64:ltsc2022", "x", "windows+x-ltsc2022-amd64"},
		"windows(10.0.20348+x)/amd64": {"windows(+x)/amd64:ltsc2022", "x", "windows+x-ltsc2022-amd64"},
	} {
		p := parse(t, in)
		features := strings.Join(p.V1().OSFeatures, " ")
		if p.String() != want.text || features != want.features || p.Slug() != want.slug {
			t.Errorf("%s is %s with %q, slug %s", in, p, features, p.Slug())
		}
		if again := platform.From(p.V1()); again != p {
			t.Errorf("%s becomes %s in a descriptor", p, again)
		}
		theirs, err := platforms.Parse(strings.Replace(in, "/amd64:ltsc2022", "/amd64", 1))
		if err != nil || platform.From(&v1.Platform{
			OS: theirs.OS, Architecture: theirs.Architecture, Variant: p.Variant, OSVersion: p.OSVersion,
			OSFeatures: theirs.OSFeatures,
		}) != p {
			t.Errorf("containerd reads %s as %+v (%v), this is %+v", in, theirs, err, p)
		}
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), "write "+p.System().OS+"/") {
			t.Errorf("%s can be released: %v", p, err)
		}
		if p.System().OSFeatures != "" {
			t.Errorf("a program is compiled for %s", p.System())
		}
	}
	if p := platform.From(&v1.Platform{OS: "linux", Architecture: "amd64", OSFeatures: []string{""}}); p.OSFeatures != "" {
		t.Errorf("an empty feature becomes %q", p.OSFeatures)
	}
	for _, in := range []string{
		"linux(+)/amd64", "linux()/amd64", "linux(+a++b)/amd64", "linux(+a%2)/amd64", "linux(5.4)/amd64",
		"linux(+a/amd64", "linux(+a)", "windows(10.0.20348+a)/amd64:ltsc2022", "windows(+a)/amd64",
	} {
		if p, err := platform.Parse(in); err == nil {
			t.Errorf("%s is read as %+v", in, p)
		}
	}
}

// TestFeaturesOfConfig leaves out what Windows bases have and runtimes do not choose by.
func TestFeaturesOfConfig(t *testing.T) {
	for _, tc := range []struct {
		os       string
		features []string
		want     string
	}{
		{"windows", []string{"win32k"}, ""},
		{"windows", []string{"win32k", "x"}, "x"},
		{"linux", []string{"erofs"}, "erofs"},
		{"linux", []string{"win32k"}, "win32k"},
	} {
		c := &v1.ConfigFile{OS: tc.os, Architecture: "amd64", OSFeatures: tc.features}
		if got := platform.FromConfig(c); got.OSFeatures != tc.want || got.OS != tc.os || got.Architecture != "amd64" {
			t.Errorf("%+v, want the features %q", got, tc.want)
		}
	}
	plain, win32k := parse(t, "windows/amd64:ltsc2022"), parse(t, "windows(+win32k)/amd64:10.0.20348.1")
	if !platform.Same(plain, win32k) || !platform.Runs(plain, win32k) {
		t.Error("win32k makes a difference")
	}
	if platform.From(win32k.V1()) != win32k {
		t.Error("win32k of an index is lost")
	}
}

// TestFeaturesAsContainerd compares with containerd what hosts with and without features run and
// choose of every order of an index.
func TestFeaturesAsContainerd(t *testing.T) {
	texts := []string{
		"linux/amd64", "linux(+erofs)/amd64", "linux(+erofs+other)/amd64", "linux(+other)/amd64", "linux/arm64",
		"linux(+erofs)/arm64",
	}
	var list []platform.Platform
	for _, s := range texts {
		list = append(list, parse(t, s))
	}
	chosen := map[string]string{}
	for _, host := range list {
		m := platforms.OnlyStrict(spec(host))
		for _, image := range list {
			agree(t, m, host, image)
			if before := image; platform.Runs(host, image) && !platform.MayMatch(host, before) {
				t.Errorf("a host of %s runs %s and does not consider it", host, image)
			}
		}
		for set := range 1 << len(list) {
			var images []platform.Platform
			for n, p := range list {
				if set>>n&1 == 1 {
					images = append(images, p)
				}
			}
			for range 2 {
				want := -1
				for n, i := range images {
					if m.Match(spec(i)) && (want < 0 || m.Less(spec(i), spec(images[want]))) {
						want = n
					}
				}
				if got := platform.Best(host, images); got != want {
					t.Errorf("of %v a host of %s takes %d, containerd %d", images, host, got, want)
				} else if got >= 0 && len(images) == 2 {
					chosen[host.String()] += " " + images[got].String()
				}
				slices.Reverse(images)
			}
		}
	}
	if strings.Contains(chosen["linux/amd64"], "+") || !strings.Contains(chosen["linux(+erofs)/amd64"], "+erofs") {
		t.Errorf("chosen: %v", chosen)
	}
	if !platform.MayMatch(parse(t, "linux/amd64"), parse(t, "linux(+erofs)/amd64")) {
		t.Error("containerd before 2.3 considers an entry with features, and this does not say so")
	}
	if platform.Compare(parse(t, "linux/amd64"), parse(t, "linux(+erofs)/amd64")) >= 0 {
		t.Error("an entry with features comes before the one without: older containerd takes the first")
	}
}
