package run

import (
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

type lookup struct {
	p     string
	n     *tree.Node // nil where nothing is
	slash bool       // the name ends in a slash
	name  string
}

func (s lookup) is(kind layer.Type) bool { return s.n != nil && s.n.Kind == kind }

// existing returns the file of a name. Without through it does not follow a link at the end.
func (r *runner) existing(name string, through bool) lookup {
	s := r.find(name, through)
	r.known(s)
	switch {
	case s.n == nil:
		failAt(name, "RUN %s: %s is not there", r.name(), name)
	case r.s.Toolchain && s.n.Kind != layer.Dir && len(r.s.Writers(s.p, s.n)) > 0:
		fail("%s: %w", name, errUnknown)
	}
	expressible(name, s.n)
	return s
}

func (r *runner) file(name string, through bool) lookup {
	s := r.existing(name, through)
	if !s.is(layer.Regular) {
		fail("%s is not a file", name)
	}
	return s
}

func (r *runner) directory(name string) lookup {
	s := r.existing(name, true)
	if !s.is(layer.Dir) {
		fail("%s is not a directory", name)
	}
	return s
}

// known fails where it is unknown whether a file exists.
func (r *runner) known(s lookup) {
	if s.n == nil && r.unknown(s.p) {
		fail("%s: %w", s.name, errUnknown)
	}
}

// expressible fails for a file that no layer can contain.
func expressible(name string, n *tree.Node) {
	if n.Odd != "" {
		fail("%s is %s, which a layer cannot contain here", name, n.Odd)
	}
}

// unknown reports whether a path, at which the tree has nothing, may be in a base that is not at
// hand.
func (r *runner) unknown(p string) bool { return r.t.Open && !r.t.Hidden(p) }

func (r *runner) lstat(p string) *tree.Node { return must(r.t.Lstat(p)) }

func (r *runner) follow(p string) string { return must(tree.Follow(r.t, p)) }

func (r *runner) set(p string, n *tree.Node) { check(r.t.Set(p, n)) }

// find looks a name up that may be missing. A file of a base whose files are unknown counts as
// missing, as for COPY.
func (r *runner) find(name string, through bool) lookup {
	p := r.absolute(name)
	trimmed := strings.TrimRight(p, "/")
	s := lookup{name: name, slash: trimmed != p}
	r.upwards(name, trimmed)
	dir, base := path.Split(trimmed)
	if through && !s.slash {
		s.slash = r.slashed(dir, base)
	}
	if through || s.slash || base == "" || base == "." || base == ".." {
		s.p = r.follow(trimmed)
	} else {
		s.p = path.Join(r.follow(dir), base)
	}
	r.mounted(s.p)
	s.n = r.lstat(s.p)
	if s.slash && s.n != nil && !s.is(layer.Dir) || base == "." && !s.is(layer.Dir) && (s.n != nil || !r.unknown(s.p)) {
		fail("%s is not a directory", name)
	}
	return s
}

// slashed reports whether a name is a link, or the first of several, to something that ends in a
// slash or a dot, and so to a directory.
func (r *runner) slashed(dir, base string) bool {
	dir = r.follow(dir)
	for range 40 {
		n := r.lstat(path.Join(dir, base))
		if n == nil || n.Kind != layer.Symlink {
			return false
		}
		last := path.Base(n.Link)
		if strings.HasSuffix(n.Link, "/") || strings.HasSuffix(n.Link, "/.") || last == ".." || n.Link == "." {
			return true
		}
		next, last := path.Split(n.Link)
		if !path.IsAbs(next) {
			next = dir + "/" + next
		}
		dir, base = r.follow(next), last
	}
	return false
}

// itself refuses the name of a link with a slash behind it, which leads to another file for each
// command.
func (r *runner) itself(name string) {
	trimmed := strings.TrimRight(tree.Slashed(name), "/")
	if trimmed == tree.Slashed(name) || trimmed == "" {
		return
	}
	if s := r.find(trimmed, false); s.is(layer.Symlink) {
		fail("%s is a link: write it without the slash, or name what it leads to", name)
	}
}

// upwards checks that there is a directory before each ".." of a path.
func (r *runner) upwards(name, p string) {
	parts := strings.Split(p, "/")
	for i, part := range parts {
		if part != ".." {
			continue
		}
		dir, n, err := tree.Resolve(r.t, strings.Join(parts[:i], "/"))
		check(err)
		if dir != "/" && (n == nil && !r.unknown(dir) || n != nil && n.Kind != layer.Dir) {
			fail("%s: directory %s does not exist", name, dir)
		}
	}
}

// absolute returns the path that a name means, with its links and "..".
func (r *runner) absolute(name string) string {
	if name == "" {
		fail("the name of a file is empty")
	}
	if r.s.Windows() {
		name = tree.Slashed(name)
		if strings.ContainsAny(name, ":*?") {
			fail("%s is not a plain path on drive C", name)
		}
	}
	if !path.IsAbs(name) {
		name = r.dir + "/" + name
	}
	if len(name) > tree.MaxSource {
		fail("a path is too long")
	}
	return name
}

// transient are files and file systems of Linux that exist only while a command runs.
var transient = []string{"/proc", "/sys", "/dev", "/etc/hosts", "/etc/resolv.conf"}

// mounted refuses files in file systems that exist only while a command runs.
func (r *runner) mounted(p string) {
	if r.s.Windows() {
		return
	}
	for _, m := range slices.Concat(transient, r.volatile) {
		if p == m || strings.HasPrefix(p, m+"/") {
			fail("%s is not the image's own while RUN runs, so that nothing done to it would stay: use COPY", m)
		}
	}
}

// list returns the names in a directory, all of which must be known.
func (r *runner) list(p string) []string {
	r.mounted(p)
	_, _, mounted := r.t.Mounted(p)
	if r.unknown(p) && !mounted && (!r.s.Toolchain || !r.s.Made(p)) {
		if !r.lenient {
			fail("%s: %w", p, errUnknown)
		}
		r.left = true
	}
	return must(r.t.ReadDir(p))
}

// children calls do for everything in a directory.
func (r *runner) children(dir string, do func(p string, n *tree.Node)) {
	for _, name := range r.list(dir) {
		do(path.Join(dir, name), r.lstat(path.Join(dir, name)))
	}
}

// make puts a new file at p. As on Linux, one in a directory with the setgid bit has its group.
func (r *runner) make(p string, n *tree.Node) {
	dir := r.lstat(path.Dir(p))
	switch {
	case dir == nil && r.unknown(path.Dir(p)):
		check(r.t.MkdirAll(path.Dir(p), tree.Root))
		r.t.Assumed[path.Dir(p)] = true
	case dir == nil:
		fail("directory %s does not exist: make it before, with mkdir -p", path.Dir(p))
	case dir.Kind != layer.Dir:
		fail("%s is not a directory", path.Dir(p))
	default:
		n = inherit(dir, n)
	}
	r.set(p, n)
}
