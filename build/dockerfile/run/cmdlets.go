package run

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/mistake"
	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// aliases are other names of parameters. Those of commands without the parameter are not known.
var aliases = map[string]string{"type": "itemtype", "literalpath": "path"}

// cmdlet returns the command of a line for PowerShell and its parameters.
func cmdlet(c script.Call) (command, options, error) {
	k, ok := lookUp(powerShell, c.Name)
	if why := elsewhere(c.Name); !ok && why != "" {
		return k, nil, mistake.At(c.Name, "RUN %s: no command is run here: %s", c.Name, Ways(true, why))
	}
	if !ok {
		return k, nil, mistake.At(c.Name, "RUN %s needs PowerShell on a machine of the image's system, "+
			"and no command is run here: %s", c.Name, Ways(true))
	}
	o := options{}
	values, switches := strings.Fields(k.long), strings.Fields(k.letters)
	var unnamed [][]string
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		param := strings.ToLower(a.Param)
		name := cmp.Or(aliases[param], param)
		switch {
		case param == "":
			unnamed = append(unnamed, a.Values)
		case slices.Contains(switches, param):
			o[param] = []string{""}
		case param == "erroraction", slices.Contains(values, name):
			if i++; i == len(c.Args) || c.Args[i].Param != "" {
				return k, o, mistake.At("-"+a.Param, "RUN %s: -%s has no value", c.Name, a.Param)
			}
			given := c.Args[i].Values
			switch {
			case param == "erroraction": // a command that fails is an error
			case param == "literalpath" && slices.ContainsFunc(given, wildcarded):
				return k, o, mistake.At("-"+a.Param, "RUN %s: a literal path with a wildcard is no file on Windows",
					c.Name)
			case o.has(name):
				return k, o, mistake.At("-"+a.Param, "RUN %s: -%s is there twice", c.Name, a.Param)
			default:
				o[name] = given
			}
		default:
			return k, o, mistake.At("-"+a.Param, "RUN %s: -%s is not known here (known are -%s): write the parameters "+
				"in full, and leave others out", c.Name, a.Param, strings.Join(slices.Concat(values, switches), " -"))
		}
	}
	return k, o, k.place(o, c.Name, unnamed)
}

// place gives the values without a name to the parameters that have none yet, and checks all.
func (k command) place(o options, command string, unnamed [][]string) error {
	values := strings.Fields(k.long)
	for _, name := range values[:k.most] {
		if !o.has(name) && len(unnamed) > 0 {
			o[name], unnamed = unnamed[0], unnamed[1:]
		}
	}
	if len(unnamed) > 0 {
		return mistake.At(unnamed[0][0], "RUN %s: %s is one value too many", command, unnamed[0][0])
	}
	for _, name := range values[:k.least] {
		if !o.has(name) {
			return mistake.At(command, "RUN %s: write its -%s", command, name)
		}
	}
	for _, name := range slices.Sorted(slices.Values(values)) {
		if name == "object" {
			continue
		}
		for _, v := range o[name] {
			wild := wildcarded(v) && (name != "path" || wildcarded(path.Dir(tree.Slashed(v))))
			if v == "" || wild || strings.ContainsAny(v, "[]<>|\"\x00") {
				return mistake.At(v, "RUN %s: %q is not a plain path, or one with * in its last part", command, v)
			}
		}
		if name != "path" && len(o[name]) > 1 {
			return mistake.At(command, "RUN %s: -%s has more than one value", command, name)
		}
	}
	return nil
}

func wildcarded(name string) bool { return strings.ContainsAny(name, "*?") }

// noPattern refuses what may be more than one file.
func noPattern(is bool, name string) {
	if is {
		failAt(name, "a wildcard is known here for Copy-Item, Move-Item and Remove-Item only: name the files")
	}
}

// items returns what a path leads to, or the files that a pattern matches. A * matches names that
// begin with a dot, too.
// Files of the base may be hidden, which it leaves out without -Force.
func (r *runner) items(o options, name string) (found []spot, pattern bool) {
	name = strings.TrimRight(tree.Slashed(name), "/")
	if !wildcarded(name) {
		s := r.spot(name, false)
		if s.is(layer.Symlink) {
			fail("%s is a link, which PowerShell follows or not by its version: name what it leads to", name)
		}
		return []spot{s}, false
	}
	dir := r.spot(path.Dir(name), true)
	for _, n := range r.list(dir.p) {
		ok, err := path.Match(layer.Fold(strings.ReplaceAll(path.Base(name), "[", "\\[")), layer.Fold(n))
		check(err)
		if !ok {
			continue
		}
		s, _ := r.items(o, path.Join(dir.p, n))
		if r.t.Nodes[s[0].p] == nil && !o.has("force") {
			fail("%s matches %s of the base, which may be hidden: write -Force, or name the files", name, n)
		}
		found = append(found, s...)
	}
	return found, true
}

// itemTarget is where an item goes: into a directory that is there, or to a name whose directory
// is.
func (r *runner) itemTarget(from spot, dest string) (to string, there *tree.Node) {
	d := r.find(dest, true)
	r.known(d) // it may be a directory
	switch {
	case d.is(layer.Dir):
		to = path.Join(d.p, path.Base(from.p))
		there = r.lstat(to)
		r.known(spot{p: to, n: there, name: to})
		return to, there
	case d.slash:
		fail("there is no directory %s: make it before", dest)
	case d.n == nil:
		if dir := r.lstat(path.Dir(d.p)); dir == nil || dir.Kind != layer.Dir {
			fail("there is no directory %s: make it before", path.Dir(d.p))
		}
	}
	return d.p, d.n
}
