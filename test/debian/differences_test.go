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
		name: "compiled databases", paths: []string{"/usr/lib/udev/hwdb.bin", "/var/lib/systemd/catalog/"},
		reason: "systemd-hwdb and journalctl are programs; their sources are there, and a container reads neither",
	},
	{
		name: "the state of a running system", paths: []string{"/run/"},
		reason: "locks of programs that ran, and what systemd-tmpfiles makes again at each boot",
	},
	{
		name: "identities", paths: []string{"/etc/machine-id", "/etc/nvme/hostid", "/etc/nvme/hostnqn"},
		reason: "every node that runs the image would have the same one, which is to be one of a kind",
	},
	{
		name: "dates in texts", paths: []string{"/etc/mdadm/mdadm.conf"},
		reason: "a comment has the time at which it was generated; here that is the same each time",
	},
	{
		name: "links of units of trixie", paths: []string{"/etc/systemd/system/*/*"},
		reason: "they name /lib in place of /usr/lib, which is the same directory",
	},
	{
		name: "the order of diversions", paths: []string{"/var/lib/dpkg/diversions", "/var/lib/dpkg/diversions-old"},
		reason: "dpkg 1.22 writes them in the order of a hash table; they are the same",
	},
}

// has reports whether a path is in the class.
func (d difference) has(p string) bool {
	return d.part != "" && strings.Contains(p, d.part) || slices.ContainsFunc(d.paths, func(pattern string) bool {
		ok, _ := path.Match(pattern, p)
		return ok || strings.HasSuffix(pattern, "/") && strings.HasPrefix(p+"/", pattern)
	})
}

// class returns the class of a path, nil for none.
func class(p string) *difference {
	n := slices.IndexFunc(differences, func(d difference) bool { return d.has(p) })
	if n < 0 {
		return nil
	}
	return &differences[n]
}
