package run

import (
	"path"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// mount reads the mounts of a RUN. The contents of a cache do not go into the image, and so files
// there are refused.
func (r *runner) mount(c *instructions.RunCommand) error {
	for _, m := range instructions.GetMounts(c) {
		target, err := system.NormalizePath(r.dir, m.Target, r.s.System.OS, false)
		if err != nil {
			return mistake.At("--mount", "%w", err)
		}
		target = path.Clean(target)
		switch m.Type {
		case instructions.MountTypeCache, instructions.MountTypeTmpfs:
			r.volatile = append(r.volatile, target)
			continue
		case instructions.MountTypeSecret, instructions.MountTypeSSH:
			return mistake.At("--mount", "RUN --mount=type=%s is not known here: no command is run, so that nothing needs the secret: leave it out", m.Type)
		}
		from, err := r.eval.Files(r.ctx, m.From, m.Source)
		if err != nil {
			return mistake.At("--mount", "%w", err)
		}
		source, n, err := tree.Resolve(from, path.Join("/", m.Source))
		switch {
		case err != nil:
			return mistake.At("--mount", "%w", err)
		case n == nil:
			return mistake.At("--mount", "%w", tree.Missing(from, path.Join("/", m.Source)))
		case target == "/":
			return mistake.At("--mount", "a mount in / hides the whole image: name another target")
		}
		r.t.Mounts = append(r.t.Mounts, tree.Mount{Target: target, Files: from, Source: source})
	}
	return nil
}
