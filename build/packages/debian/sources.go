package debian

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// Source is a suite of a repository, as sources.list(5) names it. Sources of source packages
// (deb-src) are none.
type Source struct {
	URL           string   // without a / at the end: http://deb.debian.org/debian
	Suite         string   // bookworm, bookworm/updates; a directory that ends in / if it is flat
	Components    []string // main, contrib; one that is empty if the repository is flat
	Architectures []string // those that are read; none means those that are configured
	SignedBy      []string // files of keys, or one key as armored text; none means those of trusted.gpg.d
	Trusted       bool     // no signature is asked for
	Pos           string   // file:line:column
}

// String returns the source as a line of sources.list has it.
func (s Source) String() string { return strings.TrimSpace(s.URL + " " + s.Suite) }

// Flat reports whether the packages of the repository are in one directory, without dists.
func (s Source) Flat() bool { return strings.HasSuffix(s.Suite, "/") }

// ReleaseURL returns the address of a file by its path beside the Release file.
func (s Source) ReleaseURL(path string) string {
	if s.Flat() {
		return s.URL + "/" + strings.TrimPrefix(strings.TrimPrefix(s.Suite, "./"), "/") + path
	}
	return s.URL + "/dists/" + s.Suite + "/" + path
}

// ArchitecturesOf returns those architectures among the configured ones that the source is read
// for.
func (s Source) ArchitecturesOf(configured []string) []string {
	if len(s.Architectures) == 0 {
		return configured
	}
	return slices.DeleteFunc(slices.Clone(configured), func(a string) bool { return !slices.Contains(s.Architectures, a) })
}

// ParseSources reads a file of sources: lines, or paragraphs if its name ends in .sources. All
// mistakes are reported, each with its place.
func ParseSources(file, text string) ([]Source, error) {
	if strings.HasSuffix(file, ".sources") {
		return parseParagraphs(file, text)
	}
	var all []Source
	var errs []error
	for n, line := range strings.Split(text, "\n") {
		s, err := parseLine(line)
		switch {
		case err != nil:
			errs = append(errs, fmt.Errorf("%s:%d:%d: %w", file, n+1, 1+strings.Index(line, strings.TrimSpace(line)), err))
		case s != nil:
			s.Pos = fmt.Sprintf("%s:%d:%d", file, n+1, 1+strings.Index(line, "deb"))
			all = append(all, *s)
		}
	}
	return all, errors.Join(errs...)
}

// parseLine reads a line: deb [option=value…] URL suite component…. It returns nil for one that
// names no packages.
func parseLine(line string) (*Source, error) {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimSpace(line)
	kind, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
	switch kind {
	case "", "deb-src":
		return nil, nil
	case "deb":
	default:
		return nil, fmt.Errorf("%q is no type of source: a line begins with deb", kind)
	}
	var s Source
	rest = strings.TrimSpace(rest)
	if options, ok := strings.CutPrefix(rest, "["); ok {
		options, after, closed := strings.Cut(options, "]")
		if !closed {
			return nil, errors.New("the options have no ] at their end")
		}
		for _, o := range strings.Fields(options) {
			key, value, _ := strings.Cut(o, "=")
			if err := s.option(strings.TrimRight(key, "+-"), strings.Split(value, ",")); err != nil {
				return nil, err
			}
		}
		rest = after
	}
	words := strings.Fields(rest)
	if len(words) < 2 {
		return nil, errors.New("a source is deb URL SUITE COMPONENT")
	}
	return &s, s.place(words[0], words[1], words[2:])
}

// place fills in where the packages are.
func (s *Source) place(address, suite string, components []string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Scheme == "" || u.Scheme != "file" && u.Host == "":
		return fmt.Errorf("%q is not the address of a repository", address)
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%s: only http and https repositories are read", address)
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("%s: the address of a repository has no ? or #", address)
	case u.User != nil:
		return errors.New("the address has a password in it, which would stay in the image: leave it out")
	case strings.ContainsAny(suite, "$?#%") || slices.Contains(strings.Split(suite, "/"), ".."):
		return fmt.Errorf("%q is not a suite that is known here", suite)
	case strings.HasSuffix(suite, "/") && len(components) > 0:
		return fmt.Errorf("the suite %s ends in /, so that there are no components such as %s", suite, components[0])
	case !strings.HasSuffix(suite, "/") && len(components) == 0:
		return fmt.Errorf("the suite %s has no component such as main", suite)
	}
	for _, c := range components {
		if strings.ContainsAny(c, "$?#%") || slices.Contains(strings.Split(c, "/"), "..") {
			return fmt.Errorf("%q is not a component", c)
		}
	}
	s.URL, s.Suite, s.Components = strings.TrimRight(address, "/"), suite, components
	if s.Flat() {
		s.Components = []string{""}
	}
	return nil
}

// option takes an option of a source that decides what is read of it, by its name in one line.
func (s *Source) option(key string, values []string) error {
	switch strings.ToLower(key) {
	case "arch", "architectures":
		s.Architectures = values
	case "signed-by":
		s.SignedBy = values
	case "trusted":
		yes, err := parseBool(strings.Join(values, " "))
		if err != nil {
			return fmt.Errorf("trusted: %w", err)
		}
		s.Trusted = yes
	case "lang", "languages", "target", "targets", "pdiffs", "by-hash", "date-max-future", "inrelease-path",
		"allow-weak", "check-date":
	case "check-valid-until", "allow-insecure", "allow-downgrade-to-insecure", "valid-until-min", "valid-until-max":
		return fmt.Errorf("the option %s is not known here, since it weakens what is checked: remove it", key)
	default:
		return fmt.Errorf("the option %s is not known: correct or remove it", key)
	}
	return nil
}

// parseParagraphs reads the form of .sources: fields in paragraphs.
func parseParagraphs(file, text string) (all []Source, err error) {
	var errs []error
	list := newStanzas(text, true)
	for p, ok := list.next(); ok; p, ok = list.next() {
		found, err := paragraph(file, p)
		if err != nil {
			errs = append(errs, err)
		}
		all = append(all, found...)
	}
	return all, errors.Join(errs...)
}

// paragraph reads one paragraph, which may stand for several sources.
func paragraph(file string, p Stanza) (all []Source, err error) {
	if err := p.check(file); err != nil {
		return nil, err
	}
	at := func(field string) string { return fmt.Sprintf("%s:%d:1", file, p.lineOf(field)) }
	if v := p.get("Enabled"); v != "" {
		on, err := parseBool(v)
		if err != nil {
			return nil, fmt.Errorf("%s: Enabled: %w", at("Enabled"), err)
		}
		if !on {
			return nil, nil
		}
	}
	if !slices.Contains(strings.Fields(p.get("Types")), "deb") {
		if p.get("Types") == "" {
			return nil, fmt.Errorf("%s: the paragraph has no field Types: write Types: deb", at("URIs"))
		}
		return nil, nil
	}
	var s Source
	for rest := p.text; rest != ""; {
		field, value, next := cutField(rest)
		rest = next
		switch strings.ToLower(field) {
		case "", "types", "uris", "suites", "components", "enabled", "x-repolib-name", "description":
			continue
		case "signed-by":
			if key := unfolded(value); strings.Contains(key, "-----BEGIN PGP") {
				s.SignedBy = []string{key}
				continue
			}
		}
		if strings.HasPrefix(strings.ToLower(field), "x-") {
			continue
		}
		if err := s.option(field, strings.Fields(value)); err != nil {
			return nil, fmt.Errorf("%s: %w", at(field), err)
		}
	}
	for _, address := range strings.Fields(p.get("URIs")) {
		for _, suite := range strings.Fields(p.get("Suites")) {
			one := s
			if err := one.place(address, suite, strings.Fields(p.get("Components"))); err != nil {
				return nil, fmt.Errorf("%s: %w", at("URIs"), err)
			}
			one.Pos = at("URIs")
			all = append(all, one)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: the paragraph has no URIs or no Suites", at("Types"))
	}
	return all, nil
}

// unfolded returns a value of several lines as the text that it stands for: without the space that
// continues a line, and an empty line for a dot.
func unfolded(value string) string {
	lines := strings.Split(value, "\n")
	for n, line := range lines {
		if lines[n] = strings.TrimSpace(line); lines[n] == "." {
			lines[n] = ""
		}
	}
	return strings.Join(lines, "\n")
}
