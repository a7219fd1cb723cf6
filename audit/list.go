package audit

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

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
	var all []lint.Index
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
			return nil, fmt.Errorf("%s:%d:1: %q is not an image reference: write one reference per line, "+
				"repository:tag",
				file, n, line)
		}
		seen[line] = true
		pos := yamlfile.Pos{File: file, Line: n, Column: 1}
		refs, all = append(refs, ref), append(all, lint.Index{Name: line, Pos: pos})
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s names no image", file)
	}
	all, err = r.named(ctx, all, refs)
	promise := promised(file)
	for n := range all {
		all[n].Promise = promise
	}
	return all, err
}
