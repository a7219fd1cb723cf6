package product

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// outputInfo is what templates of outputs may name.
type outputInfo struct{ OS, Arch, Variant, Exe, Version string }

var outputFields = []string{"OS", "Arch", "Variant", "Exe", "Version"}

// Output returns the stage of a place under outputs, empty for the context, and the path in it, on
// platform p of a product at a version.
func Output(place string, p platform.Platform, version string) (stage, file string, err error) {
	info := outputInfo{OS: p.OS, Arch: p.Architecture, Variant: p.Variant, Version: version}
	if p.OS == platform.Windows {
		info.Exe = ".exe"
	}
	text, err := expand(place, info, outputFields, nil)
	if err != nil {
		return "", "", err
	}
	stage, file, found := strings.Cut(text, ":")
	if !found {
		stage, file = "", text
	}
	if len(file) > 2 && strings.EqualFold(file[:2], "C:") && file[2] == '/' {
		file = file[2:]
	}
	clean := path.Clean("/" + file)
	switch {
	case found && (stage == "" || !strings.HasPrefix(file, "/")):
		return "", "", fmt.Errorf("%q is neither a path in the context nor STAGE:/PATH", text)
	case clean == "/" || strings.HasSuffix(file, "/") || slices.Contains(strings.Split(file, "/"), "..") ||
		strings.ContainsAny(file, "*?[\\"):
		return "", "", fmt.Errorf("%q is not the path of a file: write it in full, with slashes", text)
	}
	return stage, clean, nil
}

// outputs checks the places of programs and their names. On no platform may two be one.
func (c *checker) outputs(d *dockerfileYAML, on []platform.Platform) {
	type at struct {
		platform    platform.Platform
		stage, file string
	}
	taken := map[at]string{}
	for _, place := range slices.Sorted(maps.Keys(d.Outputs)) {
		if _, _, err := Output(place, platform.Platform{OS: platform.Linux, Architecture: "amd64"},
			cmp.Or(c.out.Version, "0")); err != nil {
			c.KeyErrorf(&d.Outputs, place, "%v", err)
		}
		if why := c.programs.unknown(d.Outputs[place]); why != "" {
			c.Errorf(yamlfile.Entry(&d.Outputs, place), "%s", why)
			continue
		}
		for _, p := range on {
			stage, file, err := Output(place, p, cmp.Or(c.out.Version, "0"))
			if err != nil || !c.out.Program(d.Outputs[place]).IsFor(p) {
				continue
			}
			if other, ok := taken[at{p, stage, file}]; ok {
				c.KeyErrorf(&d.Outputs, place, "%s and %s are one file for %s: keep one", other, place, p)
				break
			}
			taken[at{p, stage, file}] = place
		}
	}
}
