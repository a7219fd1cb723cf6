package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/sync/errgroup"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lint"
)

// maxList bounds a list of references, in bytes.
const maxList = 16 << 20

// list reads a file with a reference in each line, and comments behind a #.
func (r Reader) list(ctx context.Context, file string) ([]lint.Index, error) {
	text, err := yamlfile.ReadText(file, maxList)
	if err != nil {
		return nil, err
	}
	var refs []name.Reference
	var names []string
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\ufeff")) {
		n++
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "!") || seen[line] {
			continue
		}
		ref, err := name.ParseReference(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d:1: %q is no image reference: write one reference per line, repository:tag",
				file, n, line)
		}
		seen[line] = true
		refs, names = append(refs, ref), append(names, line)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s names no image", file)
	}
	all := make([]lint.Index, len(refs))
	var g errgroup.Group
	g.SetLimit(r.Jobs)
	for n, ref := range refs {
		g.Go(func() (err error) {
			all[n], err = r.reference(ctx, names[n], ref)
			return err
		})
	}
	return all, g.Wait()
}
