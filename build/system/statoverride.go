package system

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

const statoverrideFile = "/var/lib/dpkg/statoverride"

// override is the owner and mode that a path has for dpkg: a line USER GROUP MODE PATH.
type override struct{ user, group, mode, path string }

func (o override) line() string { return o.user + " " + o.group + " " + o.mode + " " + o.path }

// statoverride is dpkg-statoverride of dpkg 1.21.
func statoverride(_ context.Context, s *System, args []string, out io.Writer) error {
	const me = "dpkg-statoverride"
	list, words, err := syntax{
		program: me, long: "add remove list update quiet force force-all", strict: true,
	}.parse(args)
	if err != nil {
		return err
	}
	has := map[string]bool{}
	for _, o := range list {
		has[o.key] = true
	}
	all, err := s.overrides()
	if err != nil {
		return err
	}
	switch {
	case count(has["add"], has["remove"], has["list"]) != 1:
		return fail(me, 2, "need an action option")
	case has["list"]:
		return listOverrides(all, words, out)
	case has["remove"] && len(words) == 1:
		return s.removeOverride(all, cleanPath(words[0]), has)
	case has["add"] && len(words) == 4 && strings.HasPrefix(words[3], "/") && !strings.Contains(words[3], "\n"):
		return s.addOverride(all, override{words[0], words[1], words[2], cleanPath(words[3])}, has)
	}
	return fail(me, 2, "--add needs four arguments, and --remove one")
}

// cleanPath removes slashes, and dots behind them, from the end of a path.
func cleanPath(p string) string {
	for len(p) > 1 && (strings.HasSuffix(p, "/") || strings.HasSuffix(p, "/.")) {
		p = p[:len(p)-1]
	}
	return p
}

func (s *System) overrides() ([]override, error) {
	text, err := s.read(statoverrideFile)
	if err != nil {
		return nil, err
	}
	var list []override
	for _, line := range splitLines(string(text)) {
		f := strings.SplitN(line, " ", 4)
		if len(f) != 4 {
			return nil, fail("dpkg-statoverride", 2, "syntax error in statoverride file")
		}
		list = append(list, override{f[0], f[1], f[2], f[3]})
	}
	return list, nil
}

func listOverrides(all []override, patterns []string, out io.Writer) error {
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	found := false
	for _, o := range sortOverrides(all) {
		if !slices.ContainsFunc(patterns, func(p string) bool { return matches(cleanPath(p), o.path) }) {
			continue
		}
		found = true
		if _, err := fmt.Fprintln(out, o.line()); err != nil {
			return err
		}
	}
	if !found {
		return fail("dpkg-statoverride", 1, "no override matches %s", strings.Join(patterns, " "))
	}
	return nil
}

// matches is fnmatch without flags: a wildcard matches slashes, too.
func matches(pattern, name string) bool {
	const other = "\x00"
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", other), strings.ReplaceAll(name, "/", other))
	return ok && err == nil
}

func (s *System) removeOverride(all []override, p string, has map[string]bool) error {
	at := slices.IndexFunc(all, func(o override) bool { return o.path == p })
	switch {
	case at < 0 && (has["force"] || has["force-all"]):
		return nil
	case at < 0:
		return fail("dpkg-statoverride", 2, "no override present")
	}
	return s.writeOverrides(slices.Delete(all, at, at+1))
}

func (s *System) addOverride(all []override, o override, has map[string]bool) error {
	const me = "dpkg-statoverride"
	at := slices.IndexFunc(all, func(k override) bool { return k.path == o.path })
	if at >= 0 && !has["force"] && !has["force-all"] {
		return fail(me, 2, "an override for '%s' already exists; aborting", o.path)
	}
	a, err := s.accounts()
	if err != nil {
		return err
	}
	uid, ok := ownerID(a.passwd, o.user)
	if !ok {
		return fail(me, 2, "user '%s' does not exist", o.user)
	}
	gid, ok := ownerID(a.group, o.group)
	if !ok {
		return fail(me, 2, "group '%s' does not exist", o.group)
	}
	mode, err := strconv.ParseUint(o.mode, 8, 32)
	if err != nil || mode > 0o7777 {
		return fail(me, 2, "invalid statoverride mode %s", o.mode)
	}
	o.mode = strconv.FormatUint(mode, 8)
	o.user, o.group = nameOr(a.passwd, uid), nameOr(a.group, gid)
	if at >= 0 {
		all[at] = o
	} else {
		all = append(all, o)
	}
	if has["update"] {
		if err := s.applyOverride(o.path, uid, gid, int64(mode)); err != nil { //nolint:gosec // it has 12 bits
			return err
		}
	}
	return s.writeOverrides(all)
}

// ownerID returns the number of a user or group, which may be written as #NUMBER.
func ownerID(t *table, name string) (int, bool) {
	if digits, ok := strings.CutPrefix(name, "#"); ok {
		return parseID(digits)
	}
	f := t.find(name)
	if f == nil {
		return 0, false
	}
	return number(f[fieldGroupID]), true
}

// nameOr returns the name that a number has.
func nameOr(t *table, id int) string {
	if f := t.search(func(f []string) bool { return numeric(f[fieldGroupID], id) }); f != nil {
		return f[0]
	}
	return "#" + strconv.Itoa(id)
}

// applyOverride gives a file its owner and mode.
func (s *System) applyOverride(p string, uid, gid int, mode int64) error {
	at, n, err := tree.Resolve(s.Tree, p)
	if err != nil || n == nil {
		return err
	}
	k := *chown(n, uid, gid)
	k.Mode = fs.FileMode(mode) & fs.ModePerm //nolint:gosec // it is masked
	for bit, m := range layer.SpecialBits {
		if mode&bit != 0 {
			k.Mode |= m
		}
	}
	return s.Tree.Change(at, &k)
}

// sortOverrides puts overrides in the order of dpkg's table of paths.
func sortOverrides(all []override) []override {
	const bins = 262139
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b override) int {
		return cmp.Compare(hashPath(a.path)%bins, hashPath(b.path)%bins)
	})
	return all
}

// hashPath is the hash of a path in dpkg's table: FNV-1a of 32 bits, without the first slash.
func hashPath(p string) uint32 {
	h := uint32(2166136261)
	for _, c := range []byte(strings.TrimPrefix(p, "/")) {
		h = (h ^ uint32(c)) * 16777619
	}
	return h
}

// writeOverrides writes the file, and keeps the one before as statoverride-old.
func (s *System) writeOverrides(all []override) error {
	old, err := s.read(statoverrideFile)
	if err != nil {
		return err
	}
	if old != nil {
		n, err := s.stat(statoverrideFile)
		if err != nil {
			return err
		}
		if err := s.replace(statoverrideFile+"-old", old, n); err != nil {
			return err
		}
	}
	var lines []string
	for _, o := range sortOverrides(all) {
		lines = append(lines, o.line())
	}
	return s.Tree.WriteText(statoverrideFile, joinLines(lines), 0o644)
}
