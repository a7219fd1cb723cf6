package debian

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Source is a suite of a repository that packages come from, of a .list or a .sources file.
type Source struct {
	URL           string // without a slash at the end
	Suite         string // with a slash at the end if the repository is flat
	Components    []string
	Architectures []string // empty for all that are configured
	SignedBy      []string // files and fingerprints
	Key           string   // the armored key that stands in the file itself
	Trusted       bool     // the signature is not checked
	NoValidUntil  bool     // Check-Valid-Until: no
	AllowInsecure bool

	File string // where it stands
	Line int
}

// Flat reports whether the repository has no components.
func (s Source) Flat() bool { return strings.HasSuffix(s.Suite, "/") }

// Base returns the URL of the directory that has the Release file.
func (s Source) Base() string {
	if s.Flat() {
		return strings.TrimSuffix(s.URL+"/"+strings.TrimPrefix(strings.TrimPrefix(s.Suite, "./"), "/"), "/")
	}
	return s.URL + "/dists/" + s.Suite
}

// Repository returns the repository of one component of the source.
func (s Source) Repository(component string, rel *Release) *Repository {
	r := &Repository{URL: s.URL, Suite: s.Suite, Component: component}
	if rel != nil {
		r.Describe(rel)
	}
	return r
}

// String returns the source as sources.list has it.
func (s Source) String() string {
	return strings.Join(append([]string{"deb", s.URL, s.Suite}, s.Components...), " ")
}

// ParseSources reads a file of sources: in deb822 form if its name ends in .sources, or else one
// source per line. arch replaces $(ARCH). Sources of source packages and those that are not
// enabled are left out.
func ParseSources(file, text, arch string) ([]Source, error) {
	var found []Source
	var err error
	if strings.HasSuffix(file, ".sources") {
		found, err = parseSourceStanzas(file, text)
	} else {
		found, err = parseSourceLines(file, text)
	}
	for n := range found {
		found[n].URL = strings.TrimRight(strings.ReplaceAll(found[n].URL, "$(ARCH)", arch), "/")
		found[n].Suite = strings.ReplaceAll(found[n].Suite, "$(ARCH)", arch)
	}
	return found, err
}

// word is a word of a line, with its column from 1.
type word struct {
	text   string
	column int
}

// words splits a line. Options in brackets are one word.
func words(line string) (found []word) {
	for at := 0; at < len(line); {
		if line[at] == ' ' || line[at] == '\t' {
			at++
			continue
		}
		end := strings.IndexAny(line[at:], " \t")
		if line[at] == '[' {
			if end = strings.IndexByte(line[at:], ']'); end >= 0 {
				end++
			}
		}
		if end < 0 {
			end = len(line) - at
		}
		found = append(found, word{line[at : at+end], at + 1})
		at += end
	}
	return found
}

func parseSourceLines(file, text string) (all []Source, err error) {
	for n, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(strings.TrimRight(line, "\r"), "#")
		found := words(line)
		if len(found) == 0 {
			continue
		}
		fail := func(w word, format string, args ...any) error {
			return fmt.Errorf("%s:%d:%d: %s", file, n+1, w.column, fmt.Sprintf(format, args...))
		}
		if found[0].text == "deb-src" {
			continue
		}
		if found[0].text != "deb" {
			return nil, fail(found[0], "%q is not a type: write deb URL suite component", short(found[0].text))
		}
		s := Source{File: file, Line: n + 1}
		last := found[len(found)-1]
		found = found[1:]
		if len(found) > 0 && strings.HasPrefix(found[0].text, "[") {
			if !strings.HasSuffix(found[0].text, "]") {
				return nil, fail(found[0], "the options have no closing bracket")
			}
			if bad, err := s.options(found[0]); err != nil {
				return nil, fail(bad, "%v", err)
			}
			found = found[1:]
		}
		if len(found) < 2 {
			return nil, fail(last, "a source needs a URL and a suite: write deb URL suite component")
		}
		s.URL, s.Suite = found[0].text, found[1].text
		for _, w := range found[2:] {
			s.Components = append(s.Components, w.text)
		}
		if part, err := s.check(); err != nil {
			return nil, fail(found[min(part, len(found)-1)], "%v", err)
		}
		all = append(all, s)
	}
	return all, nil
}

// options reads [arch=amd64 signed-by=/a.gpg]. With an error it returns the word at fault.
func (s *Source) options(w word) (word, error) {
	for _, o := range words(w.text[1 : len(w.text)-1]) {
		o.column += w.column
		key, value, ok := strings.Cut(o.text, "=")
		if !ok {
			return o, fmt.Errorf("the option %q has no value: write name=value", o.text)
		}
		if strings.HasSuffix(key, "+") || strings.HasSuffix(key, "-") {
			if k := strings.ToLower(key[:len(key)-1]); slices.Contains(harmlessOptions, k) {
				continue
			}
			return o, fmt.Errorf("the option %s changes a default: write %s=... with all values", key, key[:len(key)-1])
		}
		if err := s.set(strings.ToLower(key), strings.Split(value, ",")); err != nil {
			return o, err
		}
	}
	return word{}, nil
}

// harmlessOptions do not decide which packages a source has.
var harmlessOptions = []string{
	"lang", "languages", "target", "targets", "pdiffs", "by-hash", "valid-until-min", "check-date",
	"date-max-future", "inrelease-path", "snapshot", "description", "x-repolib-name", "include", "exclude",
}

// set applies an option, by its name in either form of the files.
func (s *Source) set(key string, values []string) error {
	switches := map[string]*bool{
		"trusted": &s.Trusted, "allow-insecure": &s.AllowInsecure, "check-valid-until": &s.NoValidUntil,
	}
	if to := switches[key]; to != nil {
		b, err := parseBool(strings.Join(values, ""))
		if err != nil {
			return fmt.Errorf("the option %s: %w", key, err)
		}
		*to = b != (key == "check-valid-until")
		return nil
	}
	switch {
	case key == "arch" || key == "architectures":
		s.Architectures = values
	case key == "signed-by":
		s.SignedBy = values
	case strings.HasPrefix(key, "x-") || slices.Contains(harmlessOptions, key):
	default:
		return fmt.Errorf("the option %s is not supported: use arch, signed-by, trusted or check-valid-until", key)
	}
	return nil
}

// check checks a complete source. With an error it returns the number of the word at fault, of
// URL, suite and components.
func (s Source) check() (int, error) {
	u, err := url.Parse(s.URL)
	switch {
	case err != nil || u.Scheme == "" || u.Host == "" && u.Path == "" && u.Opaque == "":
		return 0, fmt.Errorf("%q is not a URL: write it with its scheme, as https://", short(s.URL))
	case u.Scheme == "cdrom":
		return 0, fmt.Errorf("a repository on CD cannot be used: remove the source")
	case s.Flat() && len(s.Components) > 0:
		return 2, fmt.Errorf("the suite %s ends in a slash and has no components: remove %s", s.Suite, s.Components[0])
	case !s.Flat() && len(s.Components) == 0:
		return 1, fmt.Errorf("the suite %s needs a component, such as main: if the repository is flat, write %s/",
			s.Suite, s.Suite)
	case strings.Contains("/"+s.Suite+"/", "/../"):
		return 1, fmt.Errorf("the suite %q leaves the repository: remove the dots", s.Suite)
	}
	return 0, nil
}
