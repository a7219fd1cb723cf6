package product

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// argFields is what templates of build arguments may use.
type argFields struct {
	BuildInfo

	OS, Arch, Variant, WindowsRelease string
}

var argNames = append(slices.Clone(buildFields), "OS", "Arch", "Variant", "WindowsRelease")

// On returns the image with its target and its build arguments for a platform: a template that
// yields no text gives no argument, so that the default of the Dockerfile counts; the output of a
// command, $(…), may be empty. info is that of the image's
// source, with the image's version.
func (d *DockerfileImage) On(p platform.Platform, info BuildInfo) (*DockerfileImage, error) {
	f := argFields{BuildInfo: info, OS: p.OS, Arch: p.Architecture, Variant: p.Variant}
	if p.OS == platform.Windows {
		f.WindowsRelease = platform.Release(p.OSVersion)
	}
	all := map[string]string{}
	for name, text := range d.Args {
		value, err := expand(text, f, argNames, nil)
		if err != nil {
			return nil, fmt.Errorf("argument %s: %w", name, err)
		}
		if value != "" || text == "" || strings.HasPrefix(name, "$(") {
			all[name] = value
		}
	}
	target, err := expand(d.Target, f, argNames, nil)
	if err != nil {
		return nil, fmt.Errorf("target: %w", err)
	}
	on := *d
	on.Args, on.Target = all, target
	return &on, nil
}

// args checks the templates of build arguments for every platform. What a source does not say is
// made up for the trial.
func (c *checker) args(in *dockerfileYAML, on []platform.Platform) {
	zero := strings.Repeat("0", 40)
	info := BuildInfo{Version: c.out.Version, Revision: zero, Created: "1970-01-01T00:00:00Z", SourceVersion: zero}
	for _, p := range on {
		if _, err := (&DockerfileImage{Target: in.Target}).On(p, info); err != nil {
			c.Errorf(&in.Target, "%v", err)
			break
		}
	}
	for _, name := range slices.Sorted(maps.Keys(in.Args)) {
		one := &DockerfileImage{Args: map[string]string{name: in.Args[name]}}
		for _, p := range on {
			if _, err := one.On(p, info); err != nil {
				c.Errorf(yamlfile.Entry(&in.Args, name), "%v", err)
				break
			}
		}
	}
}
