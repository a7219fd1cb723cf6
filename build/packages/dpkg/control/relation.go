package control

import (
	"fmt"
	"strings"
)

// Relation is one alternative of a relation between packages: name:arch (>= version).
type Relation struct {
	Name    string
	Arch    string // after the colon; empty for none
	Op      Op
	Version Version
}

// String returns the relation as dpkg writes it.
func (r Relation) String() string {
	s := r.Name
	if r.Arch != "" {
		s += ":" + r.Arch
	}
	if r.Op != "" {
		s += " (" + string(r.Op) + " " + r.Version.String() + ")"
	}
	return s
}

// Relations is the value of a field such as Depends: all of it must be fulfilled, of each group
// one alternative.
type Relations [][]Relation

// String returns the relations as dpkg writes them.
func (rs Relations) String() string {
	groups := make([]string, len(rs))
	for n, group := range rs {
		one := make([]string, len(group))
		for i, r := range group {
			one[i] = r.String()
		}
		groups[n] = strings.Join(one, " | ")
	}
	return strings.Join(groups, ", ")
}

// alternatives are fields whose relations may have alternatives.
var alternatives = map[string]bool{
	"Depends": true, "Pre-Depends": true, "Recommends": true, "Suggests": true,
}

// ParseRelations parses the value of a field.
func ParseRelations(field, value string) (Relations, error) {
	var rs Relations
	if strings.Trim(value, space) == "" {
		return nil, nil
	}
	for _, group := range strings.Split(value, ",") {
		var one []Relation
		for _, text := range strings.Split(group, "|") {
			r, err := parseRelation(strings.Trim(text, space))
			if err != nil {
				return nil, fmt.Errorf("field %s: %w", field, err)
			}
			one = append(one, r)
		}
		if len(one) > 1 && !alternatives[field] {
			return nil, fmt.Errorf("field %s: alternatives (|) are not allowed in it", field)
		}
		rs = append(rs, one)
	}
	return rs, nil
}

func parseRelation(text string) (Relation, error) {
	var r Relation
	n := strings.IndexAny(text, space+":(")
	if n < 0 {
		n = len(text)
	}
	r.Name = text[:n]
	if err := CheckName(r.Name); err != nil {
		return r, err
	}
	rest := text[n:]
	if after, ok := strings.CutPrefix(rest, ":"); ok {
		n := strings.IndexAny(after, space+"(")
		if n < 0 {
			n = len(after)
		}
		r.Arch, rest = after[:n], after[n:]
		if r.Arch == "" || !only(r.Arch, "-") {
			return r, fmt.Errorf("%q has a wrong architecture", text)
		}
	}
	rest = strings.TrimLeft(rest, space)
	if rest == "" {
		return r, nil
	}
	inside, opens := strings.CutPrefix(rest, "(")
	inside, closes := strings.CutSuffix(inside, ")")
	if !opens || !closes {
		return r, fmt.Errorf("%q is not a package and a version in parentheses", text)
	}
	inside = strings.Trim(inside, space)
	for _, o := range []struct{ sign, op string }{
		{"<=", "<="}, {">=", ">="}, {"<<", "<<"}, {">>", ">>"}, {"=", "="}, {"<", "<="}, {">", ">="}, {"", "="},
	} {
		if after, ok := strings.CutPrefix(inside, o.sign); ok {
			r.Op, inside = Op(o.op), strings.Trim(after, space)
			break
		}
	}
	var err error
	r.Version, err = ParseVersion(inside)
	return r, err
}

// CheckName returns an error for a text that is not the name of a package.
func CheckName(name string) error {
	if name == "" || !isDigit(name[0]) && !isLetter(name[0]) || !only(name, "-+._") {
		return fmt.Errorf("%.60q is not the name of a package", name)
	}
	return nil
}
