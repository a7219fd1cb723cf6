package dpkg

import (
	"fmt"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// options are what dpkg.cfg and the command line say.
type options struct {
	filters []filter
	forced  map[string]bool
}

// filter is an option path-exclude or path-include.
type filter struct {
	pattern string
	include bool
}

// harmless are options that change nothing in the files of packages, and whether they have a
// value.
var harmless = map[string]bool{
	"no-debsig": false, "log": true, "no-pager": false, "status-fd": true, "status-logger": true,
	"debug": true, "abort-after": true, "verify-format": true,
}

// forces are the values of --force-… that may be set, and those that are known. Others weaken
// what keeps a system whole.
var forces = map[string]bool{
	"confold": true, "confnew": true, "confdef": true, "confmiss": true, "confask": true,
	"overwrite": true, "overwrite-dir": true, "downgrade": true,
	"unsafe-io": true, "security-mac": true, "statoverride-add": true, "statoverride-remove": true,
	"not-root": true, "bad-path": true, "configure-any": false, "depends": false, "hold": false,
}

// readOptions reads the configuration of dpkg in a tree, and the options of a command line.
func readOptions(t *tree.Tree, line []string) (*options, error) {
	const dir = "/etc/dpkg"
	o := &options{forced: map[string]bool{"downgrade": true}}
	names, err := t.ReadDir(dir + "/dpkg.cfg.d")
	if err != nil {
		return nil, err
	}
	var files []string
	for _, name := range names {
		if isConfiguration(name) {
			files = append(files, dir+"/dpkg.cfg.d/"+name)
		}
	}
	for _, at := range append(files, dir+"/dpkg.cfg") {
		text, err := tree.ReadText(t, at)
		if err != nil {
			return nil, err
		}
		for n, l := range strings.Split(string(text), "\n") {
			if err := o.readLine(l); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", at, n+1, err)
			}
		}
	}
	for _, l := range line {
		long, ok := strings.CutPrefix(l, "--")
		if !ok {
			return nil, fmt.Errorf("dpkg: option %.60q is not known here", l)
		}
		if err := o.readLine(long); err != nil {
			return nil, fmt.Errorf("dpkg: %w", err)
		}
	}
	return o, nil
}

// isConfiguration reports whether dpkg reads a file of dpkg.cfg.d.
func isConfiguration(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

const autoDeconfigure = "auto-deconfigure"

// readLine reads a line of the configuration: an option without --, and its value after white
// space or =.
func (o *options) readLine(line string) error {
	line = strings.TrimRight(line, " \t\n\v\f\r")
	if line == "" || line[0] == '#' {
		return nil
	}
	n := strings.IndexAny(line, " \t\n\v\f\r=")
	if n < 0 {
		n = len(line)
	}
	name := line[:n]
	value := strings.TrimLeft(line[n:], " \t\n\v\f\r")
	if strings.HasPrefix(value, "=") {
		value = strings.TrimLeft(value[1:], " \t\n\v\f\r")
	}
	if l := len(value); l > 1 && (value[0] == '"' || value[0] == '\'') && value[l-1] == value[0] {
		value = value[1 : l-1]
	}
	if name == autoDeconfigure && value == "" {
		o.forced[name] = true
		return nil
	}
	switch has, ok := harmless[name]; {
	case ok && has == (value != ""):
		return nil
	case name == "path-exclude" || name == "path-include":
		if _, err := fnmatch(value, ""); err != nil || value == "" {
			return fmt.Errorf("option %s: %.60q is not a pattern that is known here", name, value)
		}
		o.filters = append(o.filters, filter{value, name == "path-include"})
		return nil
	}
	for _, prefix := range []string{"force-", "no-force-", "refuse-"} {
		if list, ok := strings.CutPrefix(name, prefix); ok && value == "" {
			return o.force(list, prefix == "force-")
		}
	}
	return fmt.Errorf("option %.60q is not known here: remove it, or install the packages in another way", line)
}

// force sets or unsets what --force-a,b names.
func (o *options) force(list string, on bool) error {
	for one := range strings.SplitSeq(list, ",") {
		if may, ok := forces[one]; !ok || on && !may {
			return fmt.Errorf("option force-%.40s is not known here: remove it", one)
		}
		o.forced[one] = on
	}
	return nil
}

// excluded reports whether a file is left out. The last pattern that matches decides. A directory
// or link stays where a pattern may include something in it.
func (o *options) excluded(name string, dirOrLink bool) (bool, error) {
	skip := false
	for _, f := range o.filters {
		ok, err := fnmatch(f.pattern, name)
		if err != nil {
			return false, err
		}
		if ok {
			skip = !f.include
		}
	}
	if !skip || !dirOrLink {
		return skip, nil
	}
	for _, f := range o.filters {
		literal := f.pattern
		if n := strings.IndexAny(literal, `*?[\`); n >= 0 {
			literal = literal[:n]
		}
		literal = strings.TrimRight(literal, "/")
		// dpkg compares only the begin of the name
		if f.include && strings.HasPrefix(name, literal) {
			return false, nil
		}
	}
	return true, nil
}

// fnmatch matches a pattern of a shell in which * and ? also match slashes.
func fnmatch(pattern, name string) (bool, error) {
	const slash = "\x01"
	if strings.Contains(pattern, "[:") {
		return false, path.ErrBadPattern
	}
	pattern = strings.NewReplacer("/", slash, "[!", "[^").Replace(pattern)
	return path.Match(pattern, strings.ReplaceAll(name, "/", slash))
}
