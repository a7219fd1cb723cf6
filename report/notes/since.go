package notes

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/report/changes"
)

// maxLines is how many changes of one kind are listed; the bill of materials has all.
const maxLines = 150

// since lists what differs from another release.
func since(b *strings.Builder, old, now changes.Release) {
	fmt.Fprintf(b, "\n## Changes since %s\n", text(old.Lock.Version))
	all := changes.Compare(old, now)
	for _, s := range all {
		section(b, s)
	}
	switch {
	case old.Modules == nil || now.Modules == nil:
		b.WriteString("\nThe modules in programs were not compared: " +
			"the bill of materials of one of the releases is missing.\n")
	case len(all) == 0:
		b.WriteString("\nNothing that the release consists of.\n")
	}
}

// section writes the changes of one kind.
func section(b *strings.Builder, s changes.Section) {
	fmt.Fprintf(b, "\n### %s\n\n", s.Title)
	for n, c := range s.Changes {
		line := "- " + code(c.Name) + change(c) + "\n"
		if n == maxLines || b.Len()+len(line) > maxNotes {
			fmt.Fprintf(b, "- and %d more, which the bills of materials list\n", len(s.Changes)-n)
			break
		}
		b.WriteString(line)
	}
}

// change reports which versions have come and gone.
func change(c changes.Change) string {
	old, now := codes(c.Old), codes(c.New)
	switch {
	case c.Added:
		return " is new: " + now
	case c.Removed:
		return " is gone: " + old
	case old == "":
		return ": also " + now
	case now == "":
		return ": no longer " + old
	}
	return ": " + old + " → " + now
}

func codes(versions []string) string {
	var all []string
	for _, v := range versions {
		all = append(all, code(v))
	}
	return strings.Join(all, ", ")
}
