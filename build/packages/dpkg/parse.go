package dpkg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

// fields are the fields that dpkg knows, in the order in which it writes them.
var fields = []string{
	"Package", "Essential", "Protected", "Status", "Priority", "Section", "Installed-Size", "Origin",
	"Maintainer", "Bugs", "Architecture", "Multi-Arch", "Source", "Version", "Config-Version",
	"Replaces", "Provides", "Depends", "Pre-Depends", "Recommends", "Suggests", "Breaks", "Conflicts",
	"Enhances", "Conffiles", "Filename", "Size", "MD5sum", "MSDOS-Filename", "Description",
	"Triggers-Pending", "Triggers-Awaited",
}

// textFields are those that dpkg keeps as they are.
var textFields = []string{"Installed-Size", "Origin", "Maintainer", "Bugs", "Source", "Description"}

// relationFields are those that name other packages.
var relationFields = []string{
	"Replaces", "Provides", "Depends", "Pre-Depends", "Recommends", "Suggests", "Breaks", "Conflicts",
	"Enhances",
}

// obsoleteFields are fields of the time before 1996, which dpkg turns into others.
var obsoleteFields = []string{"Recommended", "Optional", "Class", "Revision", "Package-Revision", "Package_Revision"}

// priorities are those that dpkg knows.
var priorities = []string{"required", "important", "standard", "optional", "extra", "unknown"}

// spelled returns a name of a list in the case that the list has.
func spelled(list []string, name string) string {
	for _, one := range list {
		if strings.EqualFold(one, name) {
			return one
		}
	}
	return ""
}

// parse reads the fields of a control file or of the status.
func (db *database) parse(p *pkg, s control.Stanza) (*binary, error) {
	b := &binary{texts: map[string]string{}}
	for _, f := range s {
		if err := db.parseField(p, b, f); err != nil {
			return nil, err
		}
	}
	if b.multiArch == same && (b.arch == "" || b.arch == "all") {
		return nil, fmt.Errorf("it is Multi-Arch: same, and its architecture is %q", b.arch)
	}
	for _, d := range b.depends {
		for _, one := range d.list {
			if one.arch == "" {
				one.arch = b.arch
			}
		}
	}
	return b, nil
}

func (db *database) parseField(p *pkg, b *binary, f control.Field) (err error) {
	if spelled(obsoleteFields, f.Name) != "" {
		return fmt.Errorf("field %s is obsolete since long, and not known here", f.Name)
	}
	name := spelled(fields, f.Name)
	switch {
	case name == "":
		b.more = append(b.more, f)
	case slices.Contains(relationFields, name):
		return db.parseDepends(p, b, name, f.Value)
	case slices.Contains(textFields, name):
		if f.Value != "" {
			b.texts[name] = f.Value
		}
	case f.Value == "":
	case name == "Essential":
		b.essential, err = parseYes(name, f.Value)
	case name == "Protected":
		b.protected, err = parseYes(name, f.Value)
	case name == "Priority":
		if p.priority = spelled(priorities, f.Value); p.priority == "" {
			p.priority = f.Value
		}
	case name == "Section":
		p.section = f.Value
	case name == "Architecture":
		b.arch = f.Value
	case name == "Multi-Arch":
		if b.multiArch = spelled([]string{"no", same, "foreign", "allowed"}, f.Value); b.multiArch == "" {
			return fmt.Errorf("field Multi-Arch: %.20q is not a value of it", f.Value)
		}
	case name == "Version":
		b.version, err = control.ParseVersion(f.Value)
	case name == "Conffiles":
		b.conffiles, err = parseConffiles(f.Value)
	}
	return err
}

func parseYes(name, value string) (bool, error) {
	switch strings.ToLower(value) {
	case "yes":
		return true, nil
	case "no":
		return false, nil
	}
	return false, fmt.Errorf("field %s: %.20q is neither yes nor no", name, value)
}

// parseDepends adds the relations of a field.
func (db *database) parseDepends(p *pkg, b *binary, field, value string) error {
	rs, err := control.ParseRelations(field, value)
	if err != nil {
		return err
	}
	for _, group := range rs {
		d := &dependency{up: p, field: field}
		for _, r := range group {
			one := &possibility{Relation: r, up: d, set: db.set(r.Name), arch: r.Arch, implicit: r.Arch == ""}
			if one.implicit && slices.Contains([]string{"Conflicts", "Breaks", "Replaces"}, field) {
				one.arch = "any"
			}
			d.list = append(d.list, one)
		}
		b.depends = append(b.depends, d)
	}
	return nil
}

// link makes the relations of a package known to those that they name.
func (db *database) link(b *binary) {
	for _, d := range b.depends {
		for _, one := range d.list {
			one.set.dependers = append(one.set.dependers, one)
		}
	}
}

// unlink is the opposite of link.
func (db *database) unlink(b *binary) {
	for _, d := range b.depends {
		for _, one := range d.list {
			if n := slices.Index(one.set.dependers, one); n >= 0 {
				one.set.dependers = slices.Delete(one.set.dependers, n, n+1)
			}
		}
	}
}

// parseConffiles reads the field Conffiles of the status.
func parseConffiles(value string) ([]conffile, error) {
	var list []conffile
	for line := range strings.SplitSeq(value, "\n") {
		words := strings.Split(strings.Trim(line, " "), " ")
		var c conffile
		if n := len(words); n > 2 && words[n-1] == "remove-on-upgrade" {
			c.removeOnUpgrade, words = true, words[:n-1]
		}
		if n := len(words); n > 2 && words[n-1] == "obsolete" {
			c.obsolete, words = true, words[:n-1]
		}
		n := len(words) - 1
		if n < 1 || words[0] == "" {
			return nil, fmt.Errorf("field Conffiles: %.60q is not a file and its hash", line)
		}
		c.name, c.hash = cleanName(strings.Join(words[:n], " ")), words[n]
		list = append(list, c)
	}
	return list, nil
}
