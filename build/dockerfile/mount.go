package dockerfile

import (
	"fmt"
	"path"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/util/system"
)

// mount is a directory or file that a RUN sees in another place.
type mount struct {
	target string // in the tree
	files  files
	source string
}

// mounted returns the mount that a path is in, and the path in its files.
func (t *tree) mounted(p string) (m mount, rest string, ok bool) {
	for _, m := range t.mounts {
		if below, ok := strings.CutPrefix(p, m.target); ok && (below == "" || below[0] == '/' || m.target == "/") {
			return m, path.Join(m.source, below), true
		}
	}
	return mount{}, "", false
}

// mount reads the mounts of a RUN. The contents of a cache do not go into the image, and so files
// there are refused.
func (r *runner) mount(c *instructions.RunCommand) error {
	for _, m := range instructions.GetMounts(c) {
		target, err := system.NormalizePath(r.dir, m.Target, r.s.platform.OS, false)
		if err != nil {
			return located{"--mount", err}
		}
		target = path.Clean(target)
		switch m.Type {
		case instructions.MountTypeCache, instructions.MountTypeTmpfs:
			r.volatile = append(r.volatile, target)
			continue
		case instructions.MountTypeSecret, instructions.MountTypeSSH:
			return located{"--mount", fmt.Errorf("RUN --mount=type=%s is not known here: no command is run, so that nothing needs the secret: leave it out", m.Type)}
		}
		var from files
		if m.From == "" {
			from, err = r.b.buildContext(r.ctx)
		} else {
			from, _, err = r.b.source(r.ctx, r.s, m.From, m.Source)
		}
		if err != nil {
			return located{"--mount", err}
		}
		source, n, err := resolve(from, path.Join("/", m.Source))
		switch {
		case err != nil:
			return located{"--mount", err}
		case n == nil:
			return located{"--mount", missing(from, path.Join("/", m.Source))}
		case target == "/":
			return located{"--mount", fmt.Errorf("a mount in / hides the whole image: name another target")}
		}
		r.t.mounts = append(r.t.mounts, mount{target, from, source})
	}
	return nil
}
