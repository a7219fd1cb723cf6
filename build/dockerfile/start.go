package dockerfile

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/moby/buildkit/frontend/dockerfile/parser"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/run"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/executable"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/platform"
)

// start is what an image starts, for [Result.CheckStart].
type start struct {
	file   string
	source []byte
	at     []parser.Range // of ENTRYPOINT or CMD, or of FROM if they come from the base
	own    bool           // ENTRYPOINT or CMD is in this file
	tree   *tree.Tree
	config v1.Config
	on     platform.Platform
	check  bool // files have no content: see [Input]

	emptied []string // a COPY of everything by a variable without a value
	notes   []string // on what is left to a release
}

// CheckStart returns an error if the image lacks the program that it starts, which a node would
// report only when a pod runs. The program is the first word of the entrypoint, or of the command
// where there is no entrypoint. known reports whether the base's files can be looked at; if they
// cannot, and no layer of the Dockerfile has the program, a note reports that instead. An image
// that starts nothing by itself is left to those who run it.
//
// The note also has what was noticed before, such as a COPY of the whole context by a variable
// without a value. If the program is not there, that is an error.
func (r Result) CheckStart(known bool) (note string, err error) {
	note, err = r.checkStart(known)
	if note != "" && len(r.start.emptied) > 0 {
		return "", errors.New(strings.Join(append(slices.Clone(r.start.emptied), note), "\n"))
	}
	return strings.Join(slices.DeleteFunc(slices.Concat(r.start.emptied, r.start.notes, []string{note}),
		func(n string) bool { return n == "" }), "\n"), err
}

func (r Result) checkStart(known bool) (note string, err error) {
	s := r.start
	word, name := "ENTRYPOINT", first(s.config.Entrypoint)
	if len(s.config.Entrypoint) == 0 {
		word, name = "CMD", first(s.config.Cmd)
	}
	if name == "" || s.on.OS == platform.Windows && brought(name) {
		return "", nil
	}
	t := s.tree
	if known = known && !t.Open; !known {
		t = t.Clone()
		t.Below = nil
	}
	why, certain, err := s.missing(t, name)
	if err != nil || why == "" {
		return "", err
	}
	report := &mistake.List{File: s.file, Source: s.source}
	switch open := s.on.OS == platform.Windows && s.hosts(name); {
	case certain || known && !open:
		report.Add(s.at, "", fmt.Errorf("%s %s: %s", word, name, why))
		return "", report.Err()
	case !s.own:
		return "", nil // it is the base's, which has its program
	}
	report.Add(s.at, "",
		fmt.Errorf("%s %s: no COPY or ADD adds it, and the files of the base are not known here: "+
			"make sure that the base has it", word, name))
	return report.Err().Error(), nil
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

// missing returns why a program cannot be started in a tree; "" if it can. certain means that
// files which are not in the tree would not help.
func (s start) missing(t *tree.Tree, name string) (why string, certain bool, err error) {
	candidates := s.candidates(name)
	for _, p := range candidates {
		to, err := tree.Follow(t, p)
		if err != nil {
			return fmt.Sprintf("it cannot be found: %v", err), false, nil
		}
		n, err := t.Lstat(to)
		switch {
		case err != nil:
			return "", false, err
		case n == nil:
			link, err := t.Lstat(p)
			if err != nil {
				return "", false, err
			}
			if link != nil {
				why = cmp.Or(why,
					fmt.Sprintf("%s is a symbolic link to %s, and nothing is there: copy that file, too", p, link.Link))
			}
		case n.Kind != layer.Regular || n.Odd != "":
			why, certain = cmp.Or(why, p+" is not a file: name the program in it"), len(candidates) == 1
		case !s.runs(t, n):
			why = cmp.Or(why,
				fmt.Sprintf("%s has mode %#o, which does not let user %s execute it: copy it with --chmod=0755",
					p, n.Mode.Perm(), cmp.Or(s.config.User, "root")))
			certain = len(candidates) == 1
		default:
			why, err = s.interpreted(t, p, to)
			return why, false, err
		}
	}
	if why == "" {
		why = s.nowhere(name)
	}
	return why, certain, nil
}

// interpreted reports that the interpreter of a script, or the loader of a program with shared
// libraries, is not there. Only files of the image's own layers are looked at: a base has what
// its files need.
func (s start) interpreted(t *tree.Tree, shown, p string) (why string, err error) {
	n := t.Nodes[p]
	if n == nil || t != s.tree || s.on.OS == platform.Windows || s.check {
		return "", nil
	}
	c, err := n.Content()
	if err != nil {
		return "", err
	}
	r, err := c.Open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	by, err := executable.Interpreter(r)
	if err != nil || !path.IsAbs(by) {
		return "", err
	}
	to, err := tree.Follow(t, by)
	if err != nil {
		return fmt.Sprintf("%s needs %s: %v", shown, by, err), nil
	}
	if there, err := t.Lstat(to); err != nil || there != nil {
		return "", err
	}
	return fmt.Sprintf("%s needs %s to start, which the image does not have: "+
		"name a base that has it, or build the program so that it needs none (CGO_ENABLED=0 in Go)", shown, by), nil
}

// nowhere returns the error for a program that no file has the name of, with what was probably
// meant.
func (s start) nowhere(name string) string {
	why := "the image has no such file"
	if !strings.Contains(name, "/") && s.on.OS != platform.Windows {
		why = "no directory of PATH has it"
	}
	switch near := s.near(name); {
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

// runs reports whether the image's user may execute a file. What groups it has besides its own is
// not known, so that those of other groups count as its own.
func (s start) runs(t *tree.Tree, n *tree.Node) bool {
	if s.on.OS == platform.Windows {
		return true
	}
	o, err := tree.LookUp(t, s.config.User)
	switch {
	case err != nil || o.UID == 0:
		return n.Mode&0o111 != 0
	case o.UID == n.UID:
		return n.Mode&0o100 != 0
	}
	return n.Mode&0o011 != 0
}

// candidates are the paths at which the system looks for a program, in its order.
func (s start) candidates(name string) []string {
	if s.on.OS == platform.Windows {
		return s.windowsCandidates(name)
	}
	wd := path.Join("/", s.config.WorkingDir)
	if strings.Contains(name, "/") {
		return []string{absolute(wd, name)}
	}
	dirs, ok := run.NewEnvironment(s.config.Env).Get("PATH")
	if !ok {
		dirs = defaultPath
	}
	var all []string
	for _, dir := range strings.Split(dirs, ":") {
		all = append(all, path.Join(absolute(wd, dir), name))
	}
	return all
}

func absolute(wd, p string) string {
	if path.IsAbs(p) {
		return path.Clean(p)
	}
	return path.Join(wd, p)
}

// near are files of the image's own layers with a similar name: those of the same name first, at
// most three.
func (s start) near(name string) []string {
	fold := func(p string) string {
		if s.on.OS != platform.Windows {
			return path.Base(p)
		}
		return strings.TrimSuffix(layer.Fold(path.Base(tree.Slashed(p))), ".EXE")
	}
	want, best, at := fold(name), []string(nil), 3
	for p, n := range s.tree.Nodes {
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
