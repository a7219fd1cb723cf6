package dockerfile

import (
	"path"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"
	"github.com/moby/buildkit/util/system"
)

// mount reads the mounts of a RUN. The contents of a cache do not go into the image, and so files
// there are refused.
func (r *runner) mount(c *instructions.RunCommand) error {
	for _, m := range instructions.GetMounts(c) {
		target, err := system.NormalizePath(r.dir, m.Target, r.s.system.OS, false)
		if err != nil {
			return errorAt("--mount", "%w", err)
		}
		target = path.Clean(target)
		switch m.Type {
		case instructions.MountTypeCache, instructions.MountTypeTmpfs:
			r.volatile = append(r.volatile, target)
			continue
		case instructions.MountTypeSecret, instructions.MountTypeSSH:
			return errorAt("--mount", "RUN --mount=type=%s is not known here: no command is run, so that nothing needs the secret: leave it out", m.Type)
		}
		from, err := r.eval.files(r.ctx, m.From, m.Source)
		if err != nil {
			return errorAt("--mount", "%w", err)
		}
		source, n, err := resolve(from, path.Join("/", m.Source))
		switch {
		case err != nil:
			return errorAt("--mount", "%w", err)
		case n == nil:
			return errorAt("--mount", "%w", missing(from, path.Join("/", m.Source)))
		case target == "/":
			return errorAt("--mount", "a mount in / hides the whole image: name another target")
		}
		r.t.mounts = append(r.t.mounts, mount{target, from, source})
	}
	return nil
}
