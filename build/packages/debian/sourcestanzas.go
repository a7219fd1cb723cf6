package debian

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// parseSourceStanzas reads a .sources file: a stanza stands for every combination of its URIs and
// suites.
func parseSourceStanzas(file, text string) (all []Source, err error) {
	stanzas := newStanzas(text, true)
	for s, ok := stanzas.next(); ok; s, ok = stanzas.next() {
		if strings.TrimSpace(s.text) == "" {
			continue
		}
		if err := s.check(file); err != nil {
			return nil, err
		}
		found, field, err := parseSourceStanza(s)
		if err != nil {
			return nil, fmt.Errorf("%s:%d:1: %w", file, s.lineOf(field), err)
		}
		for _, one := range found {
			one.File, one.Line = file, s.line
			if part, err := one.check(); err != nil {
				field := []string{"URIs", "Suites", "Components"}[part]
				return nil, fmt.Errorf("%s:%d:1: %w", file, s.lineOf(field), err)
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// parseSourceStanza returns the sources of a stanza. With an error it returns the field at fault.
func parseSourceStanza(s Stanza) (all []Source, field string, err error) {
	if enabled, ok := s.Field("Enabled"); ok {
		on, err := parseBool(enabled)
		if err != nil || !on {
			return nil, "Enabled", err
		}
	}
	types := strings.Fields(s.get("Types"))
	for _, t := range types {
		if t != "deb" && t != "deb-src" {
			return nil, "Types", fmt.Errorf("%q is not a type: write deb", t)
		}
	}
	if len(types) == 0 {
		return nil, "Types", errors.New("a source needs a field Types: write Types: deb")
	}
	if !slices.Contains(types, "deb") {
		return nil, "", nil
	}
	var one Source
	for rest := s.text; rest != ""; {
		name, value, next := cutField(rest)
		rest = next
		switch key := strings.ToLower(name); key {
		case "", "types", "uris", "suites", "components", "enabled":
		case "signed-by":
			one.signedBy(value)
		default:
			if err := one.set(key, strings.Fields(value)); err != nil {
				return nil, name, err
			}
		}
	}
	uris, suites := strings.Fields(s.get("URIs")), strings.Fields(s.get("Suites"))
	if len(uris) == 0 {
		return nil, "URIs", errors.New("a source needs a field URIs")
	}
	if len(suites) == 0 {
		return nil, "Suites", errors.New("a source needs a field Suites")
	}
	one.Components = strings.Fields(s.get("Components"))
	for _, uri := range uris {
		for _, suite := range suites {
			one.URL, one.Suite = uri, suite
			all = append(all, one)
		}
	}
	return all, "", nil
}

// signedBy reads the names of keyrings, or a key itself, whose empty lines are written as dots.
func (s *Source) signedBy(value string) {
	if !strings.Contains(value, armored) {
		s.SignedBy = strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(" ,\t\n", r) })
		return
	}
	lines := strings.Split(value, "\n")
	for n, line := range lines {
		if line = strings.TrimSpace(line); line == "." {
			line = ""
		}
		lines[n] = line
	}
	s.Key = strings.Join(lines, "\n") + "\n"
}
