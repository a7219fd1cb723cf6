package airgap

import (
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/platform"
)

// retarget returns the name of an image below another registry[/prefix]: the host is replaced,
// the path is kept. Docker Hub's short names have the path library/NAME.
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

// selection is the platforms that a push is cut down to; none means all.
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

// choose returns the children that nodes of the selected platforms run. Where an image has none
// for a Windows build, nodes of it run one for an older build.
func (s selection) choose(children []Child) ([]Child, error) {
	if len(s) == 0 {
		return children, nil
	}
	var systems []platform.Platform
	var at []int // of each system in children
	for n, c := range children {
		if c.Platform.IsImage() {
			systems, at = append(systems, c.Platform), append(at, n)
		}
	}
	take := make([]bool, len(children))
	for n := range s {
		best := -1
		if s[n].os == "" {
			best = platform.Best(s[n].host, systems)
		}
		for i, p := range systems {
			if i == best || s[n].os == p.OS {
				take[at[i]], s[n].used = true, true
			}
		}
	}
	var chosen []Child
	for i, c := range children {
		if take[i] {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
}

// idle returns the first platform that no image has, or nothing.
func (s selection) idle() string {
	for _, p := range s {
		if !p.used {
			return p.text
		}
	}
	return ""
}
