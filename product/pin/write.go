package pin

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Write changes the files, all or none. While another process has locked one of their directories,
// it waits, which it reports through the callback.
func (r *Result) Write(ctx context.Context, say disk.Say) error {
	return disk.Replace(ctx, r.contents, say)
}

// edit makes the new contents of all files that change.
func edit(files []*file, changes []Change) ([]disk.Content, error) {
	var list []disk.Content
	var errs []error
	for _, f := range files {
		var here []yamlfile.Replacement
		for _, c := range changes {
			if c.place.file == f {
				here = append(here, yamlfile.Replacement{Pos: c.place.pos, Old: c.From, New: c.To})
			}
		}
		if len(here) == 0 {
			continue
		}
		replace := yamlfile.Replace
		if f.plain {
			replace = replaceLines
		}
		b, err := replace(f.path, f.src, here)
		errs = append(errs, err)
		list = append(list, disk.Content{Path: f.full, Data: b})
	}
	return list, errors.Join(errs...)
}

// replaceLines puts new references into images.txt.
func replaceLines(name string, src []byte, changes []yamlfile.Replacement) ([]byte, error) {
	lines := strings.SplitAfter(string(src), "\n")
	for _, c := range changes {
		n := c.Pos.Line - 1
		if n >= len(lines) || !strings.Contains(lines[n], c.Old) {
			return nil, fmt.Errorf("%s: %s is not in its line: run again", name, c.Old)
		}
		lines[n] = strings.Replace(lines[n], c.Old, c.New, 1)
	}
	return []byte(strings.Join(lines, "")), nil
}
