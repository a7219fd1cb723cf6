package containerfile

import (
	"fmt"
	"path"
	"slices"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// variableIn finds a variable in a word of the file.
var variableIn = lazyregexp.New(`\$\{?([A-Za-z_][A-Za-z0-9_]*)`)

// sources returns the sources of COPY and ADD.
func sources(c instructions.Command) []string {
	switch c := c.(type) {
	case *instructions.CopyCommand:
		return slices.Clone(c.SourcePaths)
	case *instructions.AddCommand:
		return slices.Clone(c.SourcePaths)
	}
	return nil
}

// emptied notes a COPY whose source is a name of which only the variables are left out, so that it
// copies the whole context or stage, as BuildKit does: COPY /$FILES /.
func (s *stage) emptied(b *builder, c command, written []string) {
	for n, now := range sources(c.Command) {
		before := written[n]
		if now == before || path.Clean("/"+tree.Slashed(now)) != "/" {
			continue
		}
		if v := variableIn.FindStringSubmatch(before); v != nil {
			b.emptied.Add(c.at,
				before,
				fmt.Errorf("%s copies everything that is there, since %s has no value: "+
					"give %s a value under args in slipway.yaml, or write / if that is meant", before, v[1], v[1]))
		}
	}
}
