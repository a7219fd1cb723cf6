package notes_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/report/changes"
	"github.com/slipway-dev/slipway/report/notes"
)

var update = flag.Bool("update", false, "write the golden files anew")

func digest(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }

func child(name string, base *lock.Base) lock.Child {
	p, err := platform.Parse(name)
	if err != nil {
		panic(err)
	}
	return lock.Child{Platform: p, Digest: digest("c"), Base: base}
}

func releases() (old, now changes.Release) {
	nano := func(c string) *lock.Base {
		return &lock.Base{
			Name:   "mcr.microsoft.com/windows/nanoserver:ltsc2022@" + digest(c).String(),
			Digest: digest(c),
		}
	}
	old.Lock = &lock.Lock{
		Release: lock.Release{
			Name: "kpack", Version: "0.16.0", Created: time.Unix(0, 0), Registry: "ghcr.io/me", Go: "go1.26.7",
			Sources: []lock.Source{{
				Name: "kpack", Module: "github.com/pivotal/kpack@v0.16.0",
				Revision: strings.Repeat("1", 40),
			}, {Name: "gone", Revision: "abc"}},
		},
		Images: []lock.Image{
			{
				Name: "controller", Repository: "ghcr.io/me/controller", Tags: []string{"0.16.0"}, Digest: digest("1"),
				Children: []lock.Child{child("linux/amd64", nil)},
			},
			{
				Name: "waiter", Repository: "ghcr.io/me/waiter", Tags: []string{"0.16.0"}, Digest: digest("2"),
				Children: []lock.Child{child("windows/amd64:ltsc2022", nano("a"))},
			},
		},
		ThirdParty: []lock.ThirdParty{{Reference: "registry.k8s.io/pause:3.9", Digest: digest("3")}},
	}
	now.Lock = &lock.Lock{
		Release: lock.Release{
			Name: "kpack", Version: "0.16.1", Created: time.Unix(1, 0), Registry: "ghcr.io/me",
			Copies: []string{"quay.io/me"}, Go: "go1.26.8",
			Sources: []lock.Source{{
				Name: "kpack", Module: "github.com/pivotal/kpack@v0.16.1",
				Revision: strings.Repeat("2", 40),
			}},
		},
		Images: []lock.Image{
			{
				Name: "controller", Repository: "ghcr.io/me/controller", Tags: []string{"0.16.1"}, Digest: digest("4"),
				Children: []lock.Child{child("linux/amd64", nil), child("linux/arm64", nil)},
			},
			{
				Name: "waiter", Repository: "ghcr.io/me/waiter", Tags: []string{"0.16.1"}, Digest: digest("5"),
				Children: []lock.Child{child("windows/amd64:ltsc2022", nano("b"))},
			},
		},
		Charts: []lock.Chart{{
			Name: "kpack", Version: "0.16.1", Repository: "ghcr.io/me/charts/kpack",
			Digest: digest("6"),
		}},
		ThirdParty: []lock.ThirdParty{
			{Reference: "registry.k8s.io/pause:3.10", Digest: digest("7")},
			{Reference: "left.out/x:1", Omitted: "images.txt removes it"},
		},
		Prebuilt: []lock.Prebuilt{{
			Name: "wins", Platform: platform.Platform{OS: "windows", Architecture: "amd64"},
			Digest: digest("8"),
		}},
	}
	old.Modules = map[string][]string{
		"k8s.io/api": {"v0.29.0"}, "golang.org/x/sys": {"v0.28.0", "v0.29.0"},
		"gone.example/m": {"v1.0.0"}, "same.example/m": {"v1.0.0"},
	}
	now.Modules = map[string][]string{
		"k8s.io/api": {"v0.30.0"}, "golang.org/x/sys": {"v0.29.0"},
		"new.example/m": {"v1.0.0"}, "same.example/m": {"v1.0.0"},
	}
	old.Packages = map[string]map[string][]string{
		"controller": {"curl": {"7.88.1-10"}, "gone": {"1"}, "same": {"1"}}, "waiter": {"curl": {"7.88.1-9"}},
	}
	now.Packages = map[string]map[string][]string{
		"controller": {"curl": {"7.88.1-10+deb12u5"}, "libgmp10": {"2:6.2.1"}, "same": {"1"}},
	}
	return old, now
}

func TestWrite(t *testing.T) {
	old, now := releases()
	golden.Compare(t, *update, "testdata/signed.md",
		notes.Write(now, notes.Options{Old: &old, Fingerprint: "SHA256:abc+/def"}))
	now.Modules = nil
	golden.Compare(t, *update, "testdata/plain.md", notes.Write(now, notes.Options{Old: &now}))
}

// TestForeignText writes names that would be Markdown, HTML, mentions, links, further cells or
// lines. None has a meaning in the notes.
func TestForeignText(t *testing.T) {
	for _, evil := range []string{
		"`](https://evil.example)", "a|b|c", "<img src=x>", "![x](y)", "*bold*", "a\n## Heading",
		"</code><script>", "&amp;lt;", "\x1b[31m", "x``y", "@someone #12",
		"~~x~~", "-->", "<!-- slipway sha256:" + strings.Repeat("0", 64) + " -->",
	} {
		old, now := releases()
		now.Lock.Name, now.Lock.Version = evil, evil
		old.Lock.Version = evil
		now.Lock.Sources[0].Name = evil
		now.Lock.ThirdParty[0].Reference = evil
		now.Modules[evil] = []string{evil}
		now.Packages[evil] = map[string][]string{evil: {evil}}
		got := notes.Write(now, notes.Options{Old: &old, Fingerprint: evil})
		_, want := releases()
		before, _ := releases()
		plain := notes.Write(want, notes.Options{Old: &before, Fingerprint: "x"})
		for _, mark := range []string{
			"|", "](", "![", "*", "<img", "<script", "</code><", "##",
			"\x1b", "```", "<!--", "-->",
		} {
			extra := strings.Count(got, mark) - strings.Count(plain, mark)
			if extra > 0 {
				t.Errorf("%q adds %q:\n%s", evil, mark, got)
			}
		}
	}
}

// TestLong bounds notes.
func TestLong(t *testing.T) {
	old, now := releases()
	for n := range 5000 {
		now.Modules[strings.Repeat("x", 200)+string(rune('a'+n%26))+strings.Repeat("y", n/26)] = []string{"v1.0.0"}
	}
	got := notes.Write(now, notes.Options{Old: &old})
	old.Lock.Images = nil
	for n := range 2000 {
		i := now.Lock.Images[0]
		i.Repository = fmt.Sprintf("ghcr.io/me/controller-%d", n)
		now.Lock.Images = append(now.Lock.Images, i)
		now.Lock.Charts = append(now.Lock.Charts, now.Lock.Charts[0])
	}
	if long := notes.Write(now, notes.Options{Old: &old}); len(long) > 110_000 || strings.Count(long,
		" more, which `release.lock.json` lists | | |\n") != 2 || !strings.Contains(long, "## Verify") {
		t.Errorf("the notes of 2000 images have %d bytes:\n%s", len(long), long[:min(len(long), 2000)])
	}
	if len(got) > 110_000 || !strings.Contains(got, " more, which the bills of materials list\n") ||
		!strings.Contains(got, "## Verify") {
		t.Errorf("the notes have %d bytes:\n%s", len(got), got[max(0, len(got)-2000):])
	}
}
