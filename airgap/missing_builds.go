package airgap

import (
	"fmt"
	"io"
	"slices"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

// MissingBuild is a Windows build that images of the product have, and a third-party image for
// other Windows builds lacks: pause 3.10 has none for Windows Server 2025.
type MissingBuild struct {
	Image    string            `json:"image"` // as in images.txt
	Platform platform.Platform `json:"platform"`
	// Runs is what nodes of Platform run instead; zero if they cannot run the image.
	Runs platform.Platform `json:"runs,omitzero"`
}

// MissingBuilds lists the Windows builds that third-party images of a release lack. Images without
// any Windows platform are not for Windows, and are not listed.
func MissingBuilds(l *lock.Lock) []MissingBuild {
	var builds []platform.Platform
	for _, i := range l.Images {
		for _, c := range i.Children {
			if c.Platform.OS == platform.Windows && !has(builds, c.Platform) {
				builds = append(builds, c.Platform)
			}
		}
	}
	platform.Sort(builds)
	var all []MissingBuild
	for _, t := range l.ThirdParty {
		if !slices.ContainsFunc(t.Platforms, func(p platform.Platform) bool { return p.OS == platform.Windows }) {
			continue
		}
		for _, p := range builds {
			if has(t.Platforms, p) {
				continue
			}
			m := MissingBuild{Image: t.Reference, Platform: platform.Platform{
				OS: p.OS, Architecture: p.Architecture,
				OSVersion: platform.Short(p.OSVersion),
			}}
			if best := platform.Best(p, t.Platforms); best >= 0 {
				m.Runs = t.Platforms[best]
			}
			all = append(all, m)
		}
	}
	return all
}

func has(list []platform.Platform, p platform.Platform) bool {
	return slices.ContainsFunc(list, func(o platform.Platform) bool { return platform.Same(o, p) })
}

// WriteMissingBuilds writes missing builds for a person, an image and a build per line.
func WriteMissingBuilds(w io.Writer, all []MissingBuild) error {
	if len(all) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(w, "\nMISSING WINDOWS BUILDS"); err != nil {
		return err
	}
	for _, m := range all {
		remedy := "its nodes cannot run the image: use a newer version of it"
		if !m.Runs.IsZero() {
			remedy = "its nodes run " + m.Runs.String()
		}
		if _, err := output.Fprintf(w, "%s\n  has no %s: %s\n", m.Image, m.Platform, remedy); err != nil {
			return err
		}
	}
	return nil
}
