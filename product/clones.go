package product

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// clones fills in the clones of the repositories of module sources, as NAME=DIRECTORY.
func (c *checker) clones(values []string) {
	for _, v := range values {
		name, dir, ok := strings.Cut(v, "=")
		if !ok || dir == "" {
			c.Usage("-repository %q: write SOURCE=DIRECTORY", v)
			continue
		}
		n := slices.IndexFunc(c.out.Sources, func(s Source) bool { return s.Name == name })
		full, err := filepath.Abs(dir)
		fi, statErr := os.Stat(full)
		switch {
		case n < 0:
			c.Usage("-repository %s: %s has no source %s: %s",
				v, c.Name, name, yamlfile.Suggest(name, c.sources.list))
		case c.out.Sources[n].Module == "":
			c.Usage("-repository %s: source %s is a directory, whose repository is known: take it out",
				v, name)
		case err != nil || statErr != nil || !fi.IsDir():
			c.Usage("-repository %s: %s is not a directory: name a clone of the repository", v, dir)
		default:
			c.out.Sources[n].Repository = full
		}
	}
}
