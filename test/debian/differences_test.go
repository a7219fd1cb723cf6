package debian

import (
	"path"
	"slices"
	"strings"
)

// difference is a class of paths in which an image may differ from what apt leaves.
type difference struct {
	name   string
	paths  []string // patterns of [path.Match], or a directory with a slash at its end
	part   string   // what every path has in it instead
	reason string
}

// differences are all classes. A path in none of them fails the test, and so does a class that does
// not occur.
var differences = []difference{
	{
		name: "compiled Python", part: "/__pycache__",
		reason: "py3compile is a program, and Python compiles modules when it needs them",
	},
	{
		name: "the cache of ldconfig", paths: []string{"/var/cache/ldconfig/"},
		reason: "it only makes the next ldconfig faster; ld.so.cache itself is the same",
	},
	{
		name: "the hardware database", paths: []string{"/usr/lib/udev/hwdb.bin"},
		reason: "systemd-hwdb is a program; its sources are there, and udev of a container reads none",
	},
	{
		name: "marks of adduser", paths: []string{"/run/adduser"},
		reason: "a lock file of a program that ran",
	},
	{
		name: "caches of apt", paths: []string{"/var/cache/apt/"},
		reason: "apt makes them when it needs them",
	},
}

// class returns the class of a path, nil for none.
func class(p string) *difference {
	n := slices.IndexFunc(differences, func(d difference) bool {
		return d.part != "" && strings.Contains(p, d.part) || slices.ContainsFunc(d.paths, func(pattern string) bool {
			ok, _ := path.Match(pattern, p)
			return ok || strings.HasSuffix(pattern, "/") && strings.HasPrefix(p+"/", pattern)
		})
	})
	if n < 0 {
		return nil
	}
	return &differences[n]
}
