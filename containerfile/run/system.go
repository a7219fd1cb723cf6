package run

import (
	"errors"
	"path"
	"slices"

	"github.com/slipway-dev/slipway/containerfile/system"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// systemCommands are programs of a distribution that package system carries out.
func systemCommands() []command {
	return []command{
		{
			names: "useradd", letters: "c:d:g:G:lmMNop:rs:u:U", run: callSystem,
			long: "comment=c home-dir=d gid=g groups=G no-log-init=l create-home=m no-create-home=M no-user-group=N " +
				"non-unique=o password=p system=r shell=s uid=u user-group=U",
		},
		{
			names: "groupadd", letters: "fg:or", run: callSystem,
			long: "force=f gid=g non-unique=o system=r",
		},
		{names: "setcap", plain: true, run: callSystem},
	}
}

func isSystem(name string) bool {
	_, ok := system.Command(name)
	return ok
}

// secondsOfDay is the length of a day of /etc/shadow.
const secondsOfDay = 24 * 60 * 60

// callSystem carries out a program of a distribution. The day that it writes into /etc/shadow is
// that of the files of all layers. On a stub base the program is omitted.
func callSystem(r *runner, o options, args []string) {
	name := path.Base(r.name())
	var err error
	switch {
	case name == "setcap":
		err = try(func() { args = r.namedFiles(args) })
	case r.t.Open && !r.hasAccounts(name):
		err = errUnknown
	}
	if r.lenient && errors.Is(err, errUnknown) {
		r.left = true
		return
	}
	check(err)
	if !r.t.Open && !r.provides(name) {
		fail("the base has no %s: name one that has it", name)
	}
	p, _ := system.Command(name)
	err = p(&system.System{Tree: r.t, Day: int(layer.Epoch.Unix() / secondsOfDay)}, system.Options(o), args)
	if errors.Is(err, system.ErrUnread) {
		fail("%w", errLater)
	}
	var exit *system.Exit
	switch {
	case errors.As(err, &exit) && exit.Program == name:
		fail("%s", exit.Text)
	case err != nil && exit == nil:
		fail("%w; or %s", err, r.s.ways())
	}
	check(err)
}

// namedFiles returns the arguments of setcap, capabilities and files in turn, with the paths of the
// files, all of which must be known.
func (r *runner) namedFiles(args []string) []string {
	var list []string
	for _, w := range args {
		if w == "-q" && len(list) == 0 {
			continue
		}
		if len(list)%2 == 1 {
			w = r.file(w, false).p
		}
		list = append(list, w)
	}
	return list
}

// provides reports whether the stage has a program.
func (r *runner) provides(name string) bool {
	return slices.ContainsFunc([]string{"/usr/sbin", "/usr/bin", "/sbin", "/bin"}, func(dir string) bool {
		p, err := tree.Follow(r.t, dir)
		check(err)
		return r.lstat(path.Join(p, name)) != nil
	})
}

// hasAccounts reports whether a command is about accounts, and these are known in a stage whose
// base is not.
func (r *runner) hasAccounts(name string) bool {
	return name != "setcap" &&
		r.lstat(r.follow("/etc/passwd")) != nil && r.lstat(r.follow("/etc/group")) != nil
}
