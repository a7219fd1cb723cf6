package builder

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/platform"
)

// inspected is what docker buildx inspect reports of a builder with its nodes.
type inspected struct {
	fault     string
	versions  []string // of BuildKit, each once
	platforms []platform.Platform
}

// readInspect reads the lines of docker buildx inspect. Releases differ in the name of the version:
// Buildkit, BuildKit, BuildKit version.
func readInspect(out string) inspected {
	var i inspected
	for line := range strings.Lines(out) {
		key, value, ok := strings.Cut(clean(line), ":")
		value = strings.TrimSpace(value)
		if !ok || value == "" || strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			continue
		}
		switch strings.ToLower(key) {
		case "error":
			i.fault = value
		case "buildkit", "buildkit version":
			if !slices.Contains(i.versions, value) {
				i.versions = append(i.versions, value)
			}
		case "platforms":
			for name := range strings.SplitSeq(value, ",") {
				// A star marks those that the user has set.
				if p, err := platform.Parse(strings.TrimSuffix(strings.TrimSpace(name), "*")); err == nil {
					i.platforms = append(i.platforms, p)
				}
			}
		}
	}
	return i
}
