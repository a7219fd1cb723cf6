package debian

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Pin is an entry of a preferences file: a priority for packages that match, as
// apt_preferences(5) describes it.
type Pin struct {
	names    []string // empty for every package
	kind     string   // release, origin, version
	data     string
	release  releaseMatch
	priority int
	never    bool
}

// ParsePreferences reads the entries of a preferences file. file is its name for messages. apt
// reads /etc/apt/preferences after the files of preferences.d, and the first entry that matches
// counts.
func ParsePreferences(file, text string) ([]Pin, error) {
	var pins []Pin
	all := newStanzas(text, true)
	for s, ok := all.next(); ok; s, ok = all.next() {
		if strings.TrimSpace(s.text) == "" {
			continue
		}
		if err := s.check(file); err != nil {
			return nil, err
		}
		p, err := parsePin(file, s)
		if err != nil {
			return nil, err
		}
		pins = append(pins, p)
	}
	return pins, nil
}

func parsePin(file string, s Stanza) (Pin, error) {
	at := func(field, format string, args ...any) (Pin, error) {
		return Pin{}, fmt.Errorf("%s:%d: %s", file, s.lineOf(field), fmt.Sprintf(format, args...))
	}
	for rest := s.text; rest != ""; {
		field, _, next := cutField(rest)
		switch strings.ToLower(field) {
		case "package", "pin", "pin-priority", "explanation", "":
		default:
			return at(field, "a pin has no field %s: use Package, Pin, Pin-Priority or Explanation", field)
		}
		rest = next
	}
	names := strings.Fields(s.get("Package"))
	if len(names) == 0 {
		return at("Package", "a pin needs a Package field: name packages, or write *")
	}
	p := Pin{names: names}
	if len(names) == 1 && names[0] == "*" {
		p.names = nil
	}
	for _, name := range p.names {
		if strings.HasPrefix(name, "/") {
			return at("Package", "the pattern %s is a regular expression: use a glob such as lib*", name)
		}
		if _, err := path.Match(name, ""); err != nil {
			return at("Package", "%q is not a pattern: close the bracket", name)
		}
	}
	word, data, _ := strings.Cut(s.get("Pin"), " ")
	p.kind, p.data = strings.ToLower(word), strings.TrimSpace(data)
	if err := p.match(); err != nil {
		return at("Pin", "%v", err)
	}
	priority := s.get("Pin-Priority")
	switch n, err := strconv.Atoi(priority); {
	case priority == "never" && p.names == nil:
		p.never = true
	case priority == "never":
		return at("Pin-Priority", "the priority never is only for Package: *")
	case err != nil || n < -32768 || n > 32767 || n == 0:
		return at("Pin-Priority", "%q is not a priority: use a number between -32768 and 32767, except 0", priority)
	default:
		p.priority = n
	}
	return p, nil
}

// match prepares what the pin selects.
func (p *Pin) match() (err error) {
	switch {
	case p.data == "" && p.kind != "origin":
		return fmt.Errorf("a pin by %q needs a value: write release a=stable, version 1.* or origin deb.debian.org",
			p.kind)
	case p.kind == "release":
		p.release, err = parseReleaseMatch(p.data)
	case p.kind == "origin":
		p.data = strings.Trim(p.data, `"`)
		err = checkGlob(p.data)
	case p.kind == "version" && p.names == nil:
		return fmt.Errorf("a pin to a version is not for Package: *: name packages")
	case p.kind == "version":
		err = checkGlob(p.data)
	default:
		return fmt.Errorf("a pin cannot select by %q: use release, version or origin", p.kind)
	}
	return err
}

func checkGlob(pattern string) error {
	if strings.HasPrefix(pattern, "/") && strings.HasSuffix(pattern, "/") && len(pattern) > 1 {
		return fmt.Errorf("%s is a regular expression: use a glob", pattern)
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("%q is not a pattern: close the bracket", pattern)
	}
	return nil
}

// releaseMatch selects repositories: a=stable, n=bookworm, or a word for either of them.
type releaseMatch struct {
	all   bool
	word  string // archive or codename
	field map[byte]string
}

// parseReleaseMatch parses what follows "release" in a pin, or the name of a default release.
func parseReleaseMatch(data string) (releaseMatch, error) {
	if data == "*" {
		return releaseMatch{all: true}, nil
	}
	m := releaseMatch{field: map[byte]string{}}
	if !strings.Contains(data, "=") {
		if data != "" && data[0] >= '0' && data[0] <= '9' {
			m.field['v'] = data
		} else {
			m.word = data
		}
		return m, checkGlob(data)
	}
	for part := range strings.SplitSeq(data, ",") {
		part = strings.TrimSpace(part)
		key, value, ok := strings.Cut(part, "=")
		if !ok || len(key) != 1 || !slices.Contains([]byte("voanlcb"), key[0]) {
			return releaseMatch{}, fmt.Errorf("%q does not select a release: use a=, n=, o=, l=, c=, v= or b=", part)
		}
		if err := checkGlob(value); err != nil {
			return releaseMatch{}, err
		}
		if value != "" {
			m.field[key[0]] = value
		}
	}
	return m, nil
}

// matches reports whether an index belongs to the releases.
func (m releaseMatch) matches(s *source) bool {
	if m.all {
		return true
	}
	if m.word == "" && len(m.field) == 0 {
		return false
	}
	have := map[byte]string{}
	archive, codename := "now", ""
	if r := s.repository; r != nil {
		archive, codename = r.Archive, r.Codename
		have = map[byte]string{
			'v': r.Version, 'o': r.Origin, 'a': r.Archive, 'n': r.Codename, 'l': r.Label, 'c': r.Component, 'b': s.arch,
		}
	} else {
		have['a'], have['c'] = archive, archive
	}
	if m.word != "" && !globMatch(m.word, archive) && !globMatch(m.word, codename) {
		return false
	}
	for key, pattern := range m.field {
		if !globMatch(pattern, have[key]) {
			return false
		}
	}
	return true
}

// globMatch compares a text with a pattern of the shell, without case. Unlike path.Match it lets
// * stand for slashes.
func globMatch(pattern, text string) bool {
	if text == "" {
		return false
	}
	pattern, text = strings.ToLower(pattern), strings.ToLower(text)
	if !strings.ContainsAny(pattern, `*?[\`) {
		return pattern == text
	}
	ok, err := path.Match(strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00"))
	return ok && err == nil
}
