// Package entrypoint finds out whether an image can start its program, without running anything:
// the program of its entrypoint or command, its interpreter and its shared libraries.
//
// The same code checks images that are built and images that are audited. A file that is unknown,
// because a base is not at hand, is not reported as missing.
package entrypoint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/environment"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// Image is an image, as far as its files are known.
type Image struct {
	Tree   *tree.Tree
	Config v1.Config
	On     platform.Platform
	Check  bool // files have no content
}

// Fault is why an image cannot start its program.
type Fault struct {
	Kind Kind
	Text string // the reason, about the word and the name of [Image.Program]
	// Certain means that files which are not in the tree would not help.
	Certain bool
}

// Kind is a kind of [Fault].
type Kind int

// The kinds of faults.
const (
	Missing     Kind = iota // the file does not exist
	Mode                    // the user may not execute it
	Interpreter             // its interpreter or loader is not there, or cannot be executed
	Differs                 // it is for another platform, or for none
)

// DefaultPath is the PATH that BuildKit gives Linux images without one; Windows has its own.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// mounted are the directories over which a runtime mounts others
// (https://github.com/opencontainers/runtime-spec/blob/main/config-linux.md#default-filesystems).
var mounted = []string{"/dev", "/proc", "/sys"}

// Bounds on what comes from a configuration: what Linux takes as a path, in bytes, how many
// places a name is looked for at, and the bytes of a name that is compared with others.
const (
	maxPath       = 4096
	maxCandidates = 4096
	maxName       = 255
)

// Program returns the program that the image starts, the first word of the entrypoint or else of
// the command, and which of them it is. ok is false for an image that starts nothing, or a
// program that every base has.
func (i Image) Program() (word, name string, ok bool) {
	word, list := "ENTRYPOINT", i.Config.Entrypoint
	if len(list) == 0 {
		word, list = "CMD", i.Config.Cmd
	}
	if len(list) == 0 {
		return word, "", false
	}
	if i.On.OS != platform.Windows {
		return word, list[0], true
	}
	name = list[0]
	if i.Config.ArgsEscaped {
		name = programOf(name)
	}
	return word, name, !brought(name)
}

// Alone returns the image without the base below its tree.
func (i Image) Alone() Image {
	i.Tree = i.Tree.Clone()
	i.Tree.Below = nil
	return i
}

// Outside reports whether a program may come from the machine that runs the container.
func (i Image) Outside(name string) bool { return i.On.OS == platform.Windows && i.hosts(name) }

// Start returns why a program cannot be started, and the path of the file that is started; of
// those, one is empty.
func (i Image) Start(name string) (f Fault, file string, err error) {
	switch {
	case name == "":
		return Fault{Text: "the first word is empty: write the program there, or [] for none", Certain: true}, "", nil
	case i.On.OS == platform.Linux && len(name) > 1 && strings.HasSuffix(name, "/"):
		return Fault{Text: "a program has no slash at its end: leave it out", Certain: true}, "", nil
	}
	candidates := i.candidates(name)
	candidates = candidates[:min(len(candidates), maxCandidates)]
	for _, p := range candidates {
		if len(p) > maxPath {
			continue
		}
		if i.hidden(p) {
			f.Text = cmp.Or(f.Text, "runtimes mount a file system of their own over "+p+": move it elsewhere")
			continue
		}
		to, n, err := tree.Resolve(i.Tree, p)
		switch {
		case tree.Loops(err):
			return Fault{Text: fmt.Sprintf("it cannot be found: %v", err)}, "", nil
		case err != nil:
			return Fault{}, "", err
		case n == nil:
			link, err := i.Tree.Lstat(p)
			if err != nil {
				return Fault{}, "", err
			}
			if link != nil && f.Text == "" {
				f.Text = fmt.Sprintf("%s is a symbolic link to %s, and nothing is there: copy that file, too", p,
					link.Link)
			}
		case n.Kind != layer.Regular || n.Odd != "":
			f.Text, f.Certain = cmp.Or(f.Text, p+" is not a file: name the program in it"), len(candidates) == 1
		default:
			why, err := i.forbidden(p, to, n)
			if err != nil {
				return Fault{}, "", err
			}
			if why != "" {
				if f.Text == "" {
					f.Kind, f.Text = Mode, why
				}
				f.Certain = len(candidates) == 1
				continue
			}
			f, err := i.read(p, to, 0)
			if err != nil || f.Text != "" {
				to = ""
			}
			return f, to, err
		}
	}
	if f.Text == "" {
		f.Text = i.nowhere(name)
	}
	return f, "", nil
}

// hidden reports whether a runtime mounts something over a file.
func (i Image) hidden(p string) bool {
	return i.On.OS == platform.Linux &&
		slices.ContainsFunc(mounted, func(dir string) bool { return tree.Within(p, dir) })
}

// nowhere returns the error for a program that does not exist, with similar names.
func (i Image) nowhere(name string) string {
	why := "the image has no such file"
	if !strings.Contains(name, "/") && i.On.OS != platform.Windows {
		why = "no directory of PATH has it"
	}
	switch near := i.near(name); {
	case len(near) > 0:
		return why + ": did you mean " + strings.Join(near, " or ") + "?"
	case strings.Contains(name, "$"):
		return why + ": variables are not expanded here, so write the name itself"
	case slices.Contains([]string{"/bin/sh", "/bin/bash"}, name):
		return why +
			", which the shell form needs: write a list, [\"/program\", \"argument\"], or name a base that has a shell"
	}
	return why + ": copy it, or correct the name"
}

// candidates are the paths at which the system looks for a program, in its order.
func (i Image) candidates(name string) []string {
	if i.On.OS == platform.Windows {
		return i.windowsCandidates(name)
	}
	if len(i.Config.WorkingDir) > maxPath || len(name) > maxPath {
		return nil
	}
	wd := i.directory()
	if strings.Contains(name, "/") {
		return []string{absolute(wd, name)}
	}
	dirs, ok := environment.New(i.Config.Env).Get("PATH")
	if !ok {
		dirs = DefaultPath
	}
	var all []string
	for _, dir := range strings.SplitN(dirs, ":", maxCandidates) {
		if path.IsAbs(dir) { // runtimes start nothing from another one
			all = append(all, path.Join(dir, name))
		}
	}
	return all
}

// directory is the working directory of a Linux container.
func (i Image) directory() string { return path.Join("/", i.Config.WorkingDir) }

func absolute(wd, p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(wd, p)
}

// near are files of the image's own layers with a similar name: those of the same name first, at
// most three.
func (i Image) near(name string) []string {
	fold := func(p string) string {
		if i.On.OS != platform.Windows {
			return path.Base(p)
		}
		return strings.TrimSuffix(layer.Fold(path.Base(tree.Slashed(p))), ".EXE")
	}
	want, best, at := fold(name), []string(nil), 3
	if len(want) > maxName {
		return nil
	}
	for p, n := range i.Tree.Nodes {
		if n.Kind == layer.Dir {
			continue
		}
		d := levenshtein.Distance(want, fold(p), nil)
		if 2*d >= len(want) || d > at {
			continue
		}
		if d < at {
			best, at = nil, d
		}
		best = append(best, p)
	}
	slices.Sort(best)
	return best[:min(len(best), 3)]
}
