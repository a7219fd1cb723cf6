package system

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// definitions are the settings of /etc/login.defs.
type definitions map[string]string

func (s *System) definitions() (definitions, error) {
	text, err := s.read("/etc/login.defs")
	if err != nil {
		return nil, err
	}
	d := definitions{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		name, value, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if name == "" || name[0] == '#' {
			continue
		}
		d[name] = strings.Trim(value, " \"")
	}
	return d, nil
}

// number returns a setting as a number: with a leading 0 it is octal, as in C.
func (d definitions) number(name string, otherwise int) int {
	n, err := strconv.ParseInt(d[name], 0, 64)
	if err != nil {
		return otherwise
	}
	return int(n)
}

func (d definitions) yes(name string) bool { return strings.EqualFold(d[name], "yes") }

// defaults are the settings of /etc/default/useradd, with those that Debian compiles in.
func (s *System) defaults() (map[string]string, error) {
	text, err := s.read("/etc/default/useradd")
	if err != nil {
		return nil, err
	}
	d := map[string]string{
		"GROUP": "100", "HOME": "/home", "SHELL": "/bin/bash", "INACTIVE": "-1", "EXPIRE": "",
		"SKEL": "/etc/skel", "CREATE_MAIL_SPOOL": "no",
	}
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), "=")
		if _, known := d[name]; ok && known && (value != "" || name != "SKEL") {
			d[name] = value
		}
	}
	if d["INACTIVE"] != "-1" || d["EXPIRE"] != "" {
		return nil, errors.New("/etc/default/useradd: INACTIVE and EXPIRE are not supported: leave them out")
	}
	return d, nil
}

// span is a range of numbers for new accounts.
type span struct{ min, max int }

// ranges returns the numbers of new users or groups; kind is UID or GID.
func (d definitions) ranges(kind string, system bool) (span, error) {
	r := span{d.number(kind+"_MIN", 1000), d.number(kind+"_MAX", 60000)}
	if system {
		r = span{d.number("SYS_"+kind+"_MIN", 101), d.number("SYS_"+kind+"_MAX", d.number(kind+"_MIN", 1000)-1)}
		r.min = max(r.min, 1)
	}
	if r.max < r.min {
		return r, fmt.Errorf("/etc/login.defs: %s_MIN is larger than %s_MAX: exchange them", kind, kind)
	}
	return r, nil
}

// newID returns a number that no line of a table has in its third field, as shadow 4.13 chooses
// it: for a system account the one below the lowest, otherwise the one above the highest.
func newID(t *table, r span, system bool) (int, error) {
	used := map[int]bool{}
	lowest, highest := r.max, r.min
	for _, f := range t.all() {
		n := number(f[fieldGroupID])
		if n < r.min || n > r.max {
			continue
		}
		used[n] = true
		lowest, highest = min(lowest, n-1), max(highest, n+1)
	}
	step, last := 1, r.max
	from, again := highest, r.min
	if system {
		step, last = -1, r.min
		from, again = lowest, r.max
	}
	if from < r.min || from > r.max {
		from = again
	}
	for _, start := range []int{from, again} {
		for n := start; (last-n)*step >= 0; n += step {
			if !used[n] {
				return n, nil
			}
		}
	}
	return 0, fmt.Errorf("%s has no free number between %d and %d: write the number", t.path, r.min, r.max)
}

func (a *accounts) newUID(system bool) (int, error) {
	r, err := a.defs.ranges("UID", system)
	if err != nil {
		return 0, err
	}
	return newID(a.passwd, r, system)
}

// newGID returns the number of a new group: the preferred one where it is free and in the range;
// a negative one prefers none.
func (a *accounts) newGID(system bool, preferred int) (int, error) {
	r, err := a.defs.ranges("GID", system)
	if err != nil {
		return 0, err
	}
	least := r.min
	if system {
		least = 1
	}
	if preferred >= least && preferred <= r.max && a.gid(preferred) == nil {
		return preferred, nil
	}
	return newID(a.group, r, system)
}

// addSubordinate gives a user a range of subordinate numbers: the first that is free.
func (a *accounts) addSubordinate(t *table, kind, user string) error {
	least := a.defs.number("SUB_"+kind+"_MIN", 100000)
	most := a.defs.number("SUB_"+kind+"_MAX", 600100000)
	count := a.defs.number("SUB_"+kind+"_COUNT", 65536)
	if least > most || count >= most || least+count-1 > most {
		return fmt.Errorf("/etc/login.defs: SUB_%s_MIN, SUB_%s_MAX and SUB_%s_COUNT do not fit: correct them",
			kind, kind, kind)
	}
	start := least
	for taken := true; taken; {
		taken = false
		for _, f := range t.all() {
			first, n := number(f[1]), number(f[2])
			if n > 0 && first < start+count && start < first+n {
				start, taken = first+n, true
			}
		}
	}
	if start+count-1 > most {
		return fmt.Errorf("%s has no %d free numbers: enlarge SUB_%s_MAX in /etc/login.defs", t.path, count, kind)
	}
	slices.SortStableFunc(t.lines, func(a, b string) int { return cmp.Compare(t.start(a), t.start(b)) })
	t.lines = append(t.lines, user+":"+strconv.Itoa(start)+":"+strconv.Itoa(count))
	t.changed = true
	return nil
}

// start is the first number of a line of /etc/subuid; those of another form come last.
func (t *table) start(line string) int {
	if f := t.split(line); f != nil {
		return number(f[1])
	}
	return math.MaxInt
}
