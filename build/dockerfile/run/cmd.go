package run

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/util/system"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// windowsTools are the commands of cmd. Their options begin with a slash.
func windowsTools() map[string]tool {
	made := tool{plain: true, least: 1, most: many, run: makeDirectories}
	return map[string]tool{
		"setx": {plain: true, least: 2, most: 3, run: setx}, "mkdir": made, "md": made,
		"copy":   {plain: true, least: 2, most: many, run: windowsCopy},
		"move":   {plain: true, least: 2, most: many, run: windowsMove},
		"del":    {plain: true, least: 1, most: many, run: del},
		"mklink": {plain: true, least: 2, most: 3, run: mklink},
		"tar":    tarTool(), "go": goTool(),
	}
}

// windowsEnv is the environment of a command. PATH without a value in the image is the one that
// Windows has.
func (s *State) windowsEnv(name string) (string, bool, error) {
	v, ok := s.Env.Get(name)
	if !ok && strings.EqualFold(name, "PATH") {
		return system.DefaultPathEnvWindows, true, nil
	}
	return v, ok, s.Env.Known(name)
}

// switches separates the options of a command of cmd from its operands.
func switches(args []string, known ...string) (set map[string]bool, rest []string, err error) {
	set = map[string]bool{}
	for _, a := range args {
		if strings.IndexByte(a, '/') > 0 && !slices.Contains(known, "/M") { // a value of setx may
			return nil, nil, mistake.At(a, "%s: a slash begins an option of cmd: write paths with backslashes", a)
		}
		if !strings.HasPrefix(a, "/") {
			rest = append(rest, a)
			continue
		}
		a = strings.ToUpper(a)
		if !slices.Contains(known, a) {
			return nil, nil, mistake.At(a, "option %s is not known here (known are %s): leave it out, or write paths with backslashes", a, strings.Join(known, " "))
		}
		set[a] = true
	}
	return set, rest, nil
}

// maxSetx is how many characters setx keeps of a value.
const maxSetx = 1024

func setx(r *runner, _ options, args []string) error {
	set, rest, err := switches(args, "/M")
	switch {
	case err != nil:
		return err
	case !set["/M"]:
		return errors.New("without /M it is for one user: write setx /M")
	case len(rest) != 2 || rest[0] == "" || strings.Contains(rest[0], "="):
		return errors.New(`it is not setx /M NAME "value"`)
	case len(rest[1]) > maxSetx:
		return fmt.Errorf("the value has more than %d characters, and setx drops the rest: use ENV", maxSetx)
	case strings.HasSuffix(rest[1], `\`):
		return errors.New(`a backslash at the end takes the quote after it into the value: leave it out`)
	}
	r.s.Env.Set(rest[0], rest[1])
	r.s.Config.Env = r.s.SetEnv(r.s.Config.Env, rest[0], rest[1])
	return nil
}

func makeDirectories(r *runner, _ options, args []string) error {
	_, names, err := switches(args)
	if err != nil {
		return err
	}
	for _, name := range names {
		s, err := r.find(name, true)
		switch {
		case err != nil:
			return err
		case s.n != nil:
			return fmt.Errorf("%s is there already", name)
		}
		if err := r.parents(s.p, 0o755); err != nil {
			return err
		}
	}
	return nil
}

// pair reads the operands of copy and move, and returns where the first goes.
func (r *runner) pair(args []string) (from spot, dest string, err error) {
	_, names, err := switches(args, "/Y", "/V", "/B")
	if err != nil {
		return from, "", err
	}
	if len(names) != 2 || strings.Contains(names[0], "+") {
		return from, "", errors.New("it is known here only with one source and a destination")
	}
	if from, err = r.spot(names[0], false); err != nil {
		return from, "", err
	}
	to, err := r.find(names[1], true)
	switch {
	case err != nil:
		return from, "", err
	case to.n != nil && to.n.Kind == layer.Dir:
		return from, path.Join(to.p, path.Base(from.p)), nil
	case to.slash:
		return from, "", fmt.Errorf("there is no directory %s: make it before", names[1])
	}
	return from, to.p, nil
}

func windowsCopy(r *runner, _ options, args []string) error {
	from, dest, err := r.pair(args)
	switch {
	case err != nil:
		return err
	case from.n.Kind != layer.Regular:
		return fmt.Errorf("%s is not a file, and copy takes files only", from.name)
	}
	c := copyTree{runner: r, keep: true}
	return c.copy(from.p, from.n, dest)
}

func windowsMove(r *runner, _ options, args []string) error {
	from, dest, err := r.pair(args)
	if err != nil {
		return err
	}
	return r.move(from.p, dest)
}

func del(r *runner, _ options, args []string) error {
	_, names, err := switches(args, "/F", "/Q")
	if err != nil {
		return err
	}
	for _, name := range names {
		s, err := r.spot(name, false)
		if err != nil {
			return err
		}
		if s.n.Kind == layer.Dir {
			return fmt.Errorf("%s is a directory, of which del takes the files away: name them", name)
		}
		if err := r.remove(s.p); err != nil {
			return err
		}
	}
	return nil
}

func mklink(r *runner, _ options, args []string) error {
	set, names, err := switches(args, "/D")
	if err != nil {
		return err
	}
	if len(names) != 2 {
		return errors.New("it is not mklink LINK TARGET")
	}
	s, err := r.find(names[0], false)
	if err != nil {
		return err
	}
	if s.n != nil {
		return fmt.Errorf("%s is there already", names[0])
	}
	link := tree.Slashed(names[1])
	to := link
	if !path.IsAbs(to) {
		to = path.Dir(s.p) + "/" + to
	}
	target, err := r.find(to, true)
	if err != nil {
		return err
	}
	// the kind of a link is written by what it leads to in this layer
	dir := target.n != nil && target.n.Kind == layer.Dir
	if dir != set["/D"] || dir && !r.t.Touched[target.p] {
		return fmt.Errorf("a link to a directory is known here only as mklink /D, to one that the same RUN makes")
	}
	return r.make(s.p, &tree.Node{Kind: layer.Symlink, Mode: 0o777, Link: link})
}
