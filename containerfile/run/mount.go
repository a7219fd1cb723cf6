package run

import (
	"path"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/image/tree"
)

// mount reads the mounts of a RUN. The contents of a cache do not go into the image, and so files
// there are refused.
func (r *runner) mount(c *instructions.RunCommand) error {
	err := try(func() {
		for _, m := range instructions.GetMounts(c) {
			r.mountOne(m)
		}
	})
	if err != nil {
		err = mistake.At("--mount", "%w", err)
	}
	return err
}

func (r *runner) mountOne(m *instructions.Mount) {
	target := path.Clean(must(system.NormalizePath(r.dir, m.Target, r.s.System.OS, false)))
	switch m.Type {
	case instructions.MountTypeCache, instructions.MountTypeTmpfs:
		r.volatile = append(r.volatile, target)
		return
	case instructions.MountTypeSecret, instructions.MountTypeSSH:
		fail("RUN --mount=type=%s is not known here: no command is run, so that nothing needs the secret: leave it out",
			m.Type)
	}
	from := must(r.eval.Files(r.ctx, m.From, m.Source))
	source, n, err := tree.Resolve(from, path.Join("/", m.Source))
	check(err)
	if n == nil {
		check(tree.Missing(from, path.Join("/", m.Source)))
	}
	if target == "/" {
		fail("a mount in / hides the whole image: name another target")
	}
	r.t.Mounts = append(r.t.Mounts, tree.Mount{Target: target, Files: from, Source: source})
}
