package debian

import (
	"fmt"
	"slices"
	"strings"
)

// AmbiguousError is the error for a dependency that several packages satisfy, when apt has no
// rule to prefer one of them.
type AmbiguousError struct {
	Package    *Package // whose dependency it is
	Dependency string   // with the field: "Depends: awk"
	Choices    []string // names, in alphabetical order
}

// Error implements error.
func (e *AmbiguousError) Error() string {
	choices := e.Choices
	if len(choices) > 8 {
		choices = append(slices.Clone(choices[:7]), fmt.Sprintf("%d others", len(choices)-7))
	}
	return fmt.Sprintf("%s of %s can be satisfied by %s, and apt would choose by chance: "+
		"name the one to install in the request", e.Dependency, e.Package.Name, strings.Join(choices, " or "))
}

// ambiguity is a choice between packages that apt has no rule to tell apart.
type ambiguity struct {
	by     *Package
	dep    *dependency
	choice []*Package // the one that was taken first
}

// ambiguity returns the error for the first choice by chance that the result depends on.
func (s *solver) ambiguity() error {
	for _, a := range s.ambiguous {
		if s.of(a.by.slot).target != a.by || s.of(a.choice[0].slot).target != a.choice[0] {
			continue
		}
		others := slices.DeleteFunc(slices.Clone(a.choice), func(p *Package) bool { return s.of(p.slot).target == p })
		if len(others) == 0 {
			continue
		}
		e := &AmbiguousError{Package: a.by, Dependency: Reason{By: a.by, dep: a.dep}.Relation()}
		for _, p := range a.choice {
			e.Choices = append(e.Choices, p.Name)
		}
		slices.Sort(e.Choices)
		e.Choices = slices.Compact(e.Choices)
		return e
	}
	return nil
}

// TieError is the error for packages of equal rank, when the result depends on the order in which
// apt's resolver goes through them: that is the order of a sort that keeps none.
type TieError struct {
	Names []string // of packages that are changed in one order and not in the other, sorted
}

// Error implements error.
func (e *TieError) Error() string {
	return fmt.Sprintf("apt would choose by chance which of %s it changes to resolve a conflict, "+
		"since their rank is equal: name what to install or remove in the request", strings.Join(e.Names, ", "))
}

// differ returns the names of the packages that two plans change differently, sorted. A plan that
// is nil changes none.
func differ(a, b *Plan) (names []string) {
	changes := map[string]int{}
	for _, p := range []*Plan{a, b} {
		if p == nil {
			continue
		}
		for _, c := range p.Changes {
			changes[c.Name+" "+c.Arch+" "+string(c.Action)+" "+c.New]++
		}
	}
	for text, n := range changes {
		if n == 1 {
			name, _, _ := strings.Cut(text, " ")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
