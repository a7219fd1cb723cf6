package debian

import (
	"fmt"
	"strings"
)

// Relation is one alternative of a relation between packages: name:arch (>= version).
type Relation struct {
	Name    string
	Arch    string // "any", an architecture, or nothing
	Op      string // <<, <=, =, >=, >> or nothing
	Version string
}

// String returns the relation as control files have it.
func (r Relation) String() string {
	s := r.Name
	if r.Arch != "" {
		s += ":" + r.Arch
	}
	if r.Op != "" {
		s += " (" + r.Op + " " + r.Version + ")"
	}
	return s
}

// ParseRelations parses the value of a field such as Depends: groups separated by commas, each
// with alternatives separated by bars.
func ParseRelations(text string) ([][]Relation, error) {
	var groups [][]Relation
	var group []Relation
	for rest := strings.TrimSpace(text); rest != ""; {
		name, op, want, or, next, err := cutRelation(rest)
		if err != nil {
			return nil, err
		}
		r := Relation{Name: name, Op: op.String(), Version: want}
		if n := strings.IndexByte(name, ':'); n >= 0 {
			r.Name, r.Arch = name[:n], name[n+1:]
		}
		if group = append(group, r); !or {
			groups = append(groups, group)
			group = nil
		}
		rest = next
	}
	if group != nil {
		groups = append(groups, group)
	}
	return groups, nil
}

// cutRelation returns the first relation of a list and what comes after it. or reports whether an
// alternative follows. It accepts what apt accepts: architectures and build profiles are not for
// binary packages.
func cutRelation(text string) (name string, op operator, want string, or bool, rest string, err error) {
	text = strings.TrimLeft(text, " \t\n")
	n := strings.IndexAny(text, " \t\n(),|[]<>")
	if n < 0 {
		n = len(text)
	}
	name, rest = text[:n], strings.TrimLeft(text[n:], " \t\n")
	if name == "" || name[0] == ':' {
		return "", 0, "", false, "", fmt.Errorf("%q has no name of a package", short(text))
	}
	if strings.HasPrefix(rest, "(") {
		inside, after, ok := strings.Cut(rest[1:], ")")
		if !ok {
			return "", 0, "", false, "", fmt.Errorf("%q has no closing parenthesis", short(text))
		}
		op, want = cutOperator(strings.TrimSpace(inside))
		if want == "" {
			return "", 0, "", false, "", fmt.Errorf("%q has no version", short(text))
		}
		rest = strings.TrimLeft(after, " \t\n")
	}
	if rest == "" {
		return name, op, want, false, "", nil
	}
	if rest[0] != ',' && rest[0] != '|' {
		return "", 0, "", false, "", fmt.Errorf("%q needs a comma before %q", short(text), short(rest))
	}
	return name, op, want, rest[0] == '|', strings.TrimLeft(rest[1:], " \t\n"), nil
}

// cutOperator divides ">= 1.0". Like apt it takes < for <=, > for >=, and no operator for =.
func cutOperator(text string) (operator, string) {
	for _, o := range []struct {
		sign string
		op   operator
	}{
		{"<=", lessEqual},
		{"<<", less},
		{">=", greaterEqual},
		{">>", greater},
		{"<", lessEqual},
		{">", greaterEqual},
		{"=", equal},
	} {
		if after, ok := strings.CutPrefix(text, o.sign); ok {
			return o.op, strings.TrimSpace(after)
		}
	}
	return equal, text
}
