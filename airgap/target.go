package airgap

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// retarget returns the name of an image below another registry[/prefix]: it replaces the host and
// keeps the path. Docker Hub's short names have the path library/NAME.
func retarget(tagged, to string) (name.Tag, error) {
	t, err := name.NewTag(tagged)
	if err != nil {
		return name.Tag{}, fmt.Errorf("%s: %w", tagged, err)
	}
	moved, err := name.NewTag(to + "/" + t.RepositoryStr() + ":" + t.TagStr())
	if err != nil {
		return name.Tag{}, fmt.Errorf("%s: %w", tagged, err)
	}
	return moved, nil
}

// selection is the platforms that are pushed; empty for all.
type selection []struct {
	text string
	os   string // an operating system with all its versions and architectures, or empty
	host platform.Platform
	used bool
}

func newSelection(values []string) (selection, error) {
	s := make(selection, len(values))
	for n, v := range values {
		s[n].text = v
		if v == platform.Linux || v == platform.Windows {
			s[n].os = v
			continue
		}
		var err error
		if s[n].host, err = platform.Parse(v); err != nil {
			return nil, fmt.Errorf("-platforms: %w", err)
		}
	}
	return s, nil
}

// choose returns the image with those of its included manifests that nodes of the selected
// platforms run. If it has none for a Windows build, nodes of that run one for an older build.
func (s selection) choose(i bundle.Image) bundle.Image {
	if len(s) == 0 || i.Chart {
		return i
	}
	var platforms []platform.Platform
	var at []int // of each platform in i.Manifests
	for n, m := range i.Manifests {
		if m.Presence == oci.Included && m.Platform.IsImage() {
			platforms, at = append(platforms, m.Platform), append(at, n)
		}
	}
	chosen := map[int]bool{}
	for n := range s {
		best := -1
		if s[n].os == "" {
			best = platform.Best(s[n].host, platforms)
		}
		for p := range platforms {
			if p == best || s[n].os == platforms[p].OS {
				chosen[at[p]], s[n].used = true, true
			}
		}
	}
	return i.Select(func(n int, _ bundle.Manifest) oci.Presence {
		if chosen[n] {
			return oci.Included
		}
		return oci.Absent
	})
}

// unused returns the first selected platform that no image has, or "".
func (s selection) unused() string {
	for _, p := range s {
		if !p.used {
			return p.text
		}
	}
	return ""
}
