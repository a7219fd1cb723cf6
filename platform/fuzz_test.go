package platform_test

import (
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/platform"
)

// FuzzParse checks that Parse reads back what String writes of every platform that Parse
// accepts, and that Slug is a valid file name.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"linux/amd64", "linux/arm/v7", "linux/amd64/", "windows/amd64:ltsc2022", "windows/amd64:10.0.17763.1",
		"windows(10.0.17763)/amd64", "windows()/amd64", "windows/amd64", "linux/amd64:", "",
		"linux(+erofs)/amd64", "linux(+b+a%2B)/arm/v7", "windows(10.0.17763+x)/amd64", "windows(+x)/arm64:ltsc2025",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := platform.Parse(s)
		if err != nil {
			return
		}
		out := p.String()
		again, err := platform.Parse(out)
		if err != nil {
			t.Fatalf("Parse(%q) gives %+v, which Format writes as %q: %v", s, p, out, err)
		}
		var text platform.Platform
		if err := text.UnmarshalText([]byte(out)); again != p || err != nil || text != p ||
			platform.From(p.V1()) != p {
			t.Errorf("Parse(%q) gives %+v, Parse(%q) %+v, UnmarshalText %+v (%v)", s, p, out, again, text, err)
		}
		if !platform.Same(p, again) || platform.Compare(p, again) != 0 {
			t.Errorf("%+v and %+v are not the same", p, again)
		}
		if slug := p.Slug(); slug == "" || strings.ContainsAny(slug, `/\:*?"<>| `) {
			t.Errorf("Slug(%+v) is %q", p, slug)
		}
		if p.OS == platform.Windows && (p.OSVersion == "" || platform.Build(p.OSVersion) < 0) {
			t.Errorf("Parse(%q) gives Windows without a release", s)
		}
	})
}
