package entrypoint

import (
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/platform"
)

// unused reports DLLs that were copied to Windows' own directories, where only what is loaded by
// its name is found, and that no file of the image's own layers imports or mentions. It can be said
// only of images that start a program of theirs, and if all these DLLs are real.
func (l *Libraries) unused(entry string) error {
	if l.On.OS != platform.Windows || !l.Known || l.Tree.Nodes[entry] == nil {
		return nil
	}
	var dlls []string
	for _, p := range slices.Sorted(maps.Keys(l.Tree.Nodes)) {
		dir := layer.Fold(path.Dir(p))
		if l.Tree.Nodes[p].Kind != layer.Regular || !strings.EqualFold(path.Ext(p), ".dll") ||
			dir != "/WINDOWS/SYSTEM32" && dir != "/WINDOWS/SYSWOW64" {
			continue
		}
		if n, ok := l.needs[p]; !ok || !n.Library {
			return nil
		}
		if !l.allowed(path.Base(p)) {
			dlls = append(dlls, p)
		}
	}
	if len(dlls) == 0 {
		return nil
	}
	used, err := l.mentioned(dlls)
	if err != nil {
		return err
	}
	for i, p := range dlls {
		if !used[i] {
			l.notes = append(l.notes,
				fmt.Sprintf("%s is copied into the image, and nothing there imports or names it: "+
					"remove the COPY, or name it under allowLibraries if a program finds the name elsewhere", p))
		}
	}
	return nil
}

// mentioned reports for each DLL whether another file has its name, without the extension, which
// LoadLibrary adds. An import is a mention, too.
func (l *Libraries) mentioned(dlls []string) ([]bool, error) {
	var names []string
	for _, p := range dlls {
		base := path.Base(p)
		names = append(names, strings.TrimSuffix(base, path.Ext(base)))
	}
	used := make([]bool, len(dlls))
	for p, n := range l.Tree.Nodes {
		if n.Kind != layer.Regular || n.Odd != "" {
			continue
		}
		err := l.open(n, func(_ layer.Content, r io.Reader) error {
			found, err := executable.Mentions(r, names)
			for i := range found {
				used[i] = used[i] || found[i] && dlls[i] != p
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p, err)
		}
	}
	return used, nil
}
