package debian

import "strings"

// mentioned reports whether a relation of some package has a name.
func (u *Universe) mentioned(name string) bool {
	for _, s := range u.slots {
		for _, p := range s.versions {
			if strings.Contains(p.stanza.text, name) && mentions(p.stanza, name) {
				return true
			}
		}
	}
	return false
}

// relationFields are the fields that have relations.
var relationFields = []string{
	"Pre-Depends", "Depends", "Conflicts", "Breaks", "Recommends", "Suggests", "Replaces", "Enhances",
}

func mentions(s Stanza, name string) bool {
	for _, field := range relationFields {
		for rest := s.get(field); rest != ""; {
			word, _, _, _, next, err := cutRelation(rest)
			if err != nil {
				break
			}
			if base, _, _ := strings.Cut(word, ":"); base == name {
				return true
			}
			rest = next
		}
	}
	return false
}
