package run

import (
	"path"
	"strings"

	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// windowsEnv is the environment of a command. PATH without a value in the image is that of Windows.
func (s *State) windowsEnv(name string) (string, bool, error) {
	v, ok := s.Env.Get(name)
	if !ok && strings.EqualFold(name, "PATH") {
		return system.DefaultPathEnvWindows, true, nil
	}
	return v, ok, s.Env.Known(name)
}

// maxSetx is how many characters setx keeps of a value.
const maxSetx = 1024

func setx(r *runner, o options, args []string) {
	switch {
	case !o.has("/M"):
		fail("without /M it is for one user: write setx /M")
	case len(args) != 2 || args[0] == "" || strings.Contains(args[0], "="):
		fail(`it is not setx /M NAME "value"`)
	case len(args[1]) > maxSetx:
		fail("the value has more than %d characters, and setx drops the rest: use ENV", maxSetx)
	case strings.HasSuffix(args[1], `\`):
		fail(`a backslash at the end takes the quote after it into the value: leave it out`)
	}
	r.s.Env.Set(args[0], args[1])
	r.s.Config.Env = r.s.SetEnv(r.s.Config.Env, args[0], args[1])
}

func makeDirectories(r *runner, _ options, names []string) {
	for _, name := range names {
		s := r.find(name, true)
		if s.n != nil {
			fail("%s already exists", name)
		}
		r.parents(s.p, 0o755)
	}
}

// pair reads the operands of copy and move, and returns where the first goes.
func (r *runner) pair(names []string) (from lookup, dest string) {
	if len(names) != 2 || strings.Contains(names[0], "+") {
		fail("it is supported only with one source and a destination")
	}
	from = r.existing(names[0], false)
	to := r.find(names[1], true)
	if to.is(layer.Dir) {
		return from, path.Join(to.p, path.Base(from.p))
	}
	if to.slash {
		fail("directory %s does not exist: make it before", names[1])
	}
	return from, to.p
}

func windowsCopy(r *runner, _ options, names []string) {
	from, dest := r.pair(names)
	if !from.is(layer.Regular) {
		fail("%s is not a file, and copy takes files only", from.name)
	}
	c := copyTree{runner: r, keep: true}
	c.copy(from.p, from.n, dest)
}

func windowsMove(r *runner, _ options, names []string) {
	from, dest := r.pair(names)
	r.move(from.p, dest)
}

func del(r *runner, _ options, names []string) {
	for _, name := range names {
		s := r.existing(name, false)
		if s.is(layer.Dir) {
			fail("%s is a directory, of which del takes the files away: name them", name)
		}
		r.remove(s.p)
	}
}

func mklink(r *runner, o options, names []string) {
	if len(names) != 2 {
		fail("it is not mklink LINK TARGET")
	}
	s := r.find(names[0], false)
	if s.n != nil {
		fail("%s already exists", names[0])
	}
	link := tree.Slashed(names[1])
	to := link
	if !path.IsAbs(to) {
		to = path.Dir(s.p) + "/" + to
	}
	// the kind of a link is written by what it leads to in this layer
	target := r.find(to, true)
	if dir := target.is(layer.Dir); dir != o.has("/D") || dir && !r.t.Touched[target.p] {
		fail("a link to a directory is supported only as mklink /D, to one that the same RUN makes")
	}
	r.make(s.p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: link})
}
