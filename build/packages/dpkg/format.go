package dpkg

import (
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

// format returns the database as dpkg writes it.
func (db *database) format() string {
	var all []*pkg
	for _, s := range db.order {
		all = append(all, s.pkgs...)
	}
	slices.SortStableFunc(all, db.compare)
	var out strings.Builder
	for _, p := range all {
		if p.informative() {
			db.formatPackage(&out, p)
			out.WriteByte('\n')
		}
	}
	return out.String()
}

// compare orders packages by their names. One whose name is enough comes before those of other
// architectures.
func (db *database) compare(a, b *pkg) int {
	if c := strings.Compare(a.set.name, b.set.name); c != 0 || a.installed.arch == b.installed.arch {
		return c
	}
	x, y := db.label(a, &a.installed) != a.set.name, db.label(b, &b.installed) != b.set.name
	switch {
	case !x:
		return -1
	case !y:
		return 1
	}
	return strings.Compare(a.installed.arch, b.installed.arch)
}

// informative reports whether the status says anything of a package.
func (p *pkg) informative() bool {
	b := &p.installed
	return p.want != wantUnknown || p.reinstall || p.state != notInstalled || !p.configVersion.IsZero() ||
		len(b.depends) > 0 || len(b.texts) > 0 || !b.version.IsZero() || len(b.conffiles) > 0 || len(b.more) > 0
}

// formatPackage writes the stanza of a package.
func (db *database) formatPackage(out *strings.Builder, p *pkg) {
	field := func(name, value string) {
		if value != "" {
			out.WriteString(name + ": " + value + "\n")
		}
	}
	for _, name := range fields {
		field(name, db.value(p, name))
		if name == "Conffiles" && len(p.installed.conffiles) > 0 {
			out.WriteString("Conffiles:\n")
			for _, c := range p.installed.conffiles {
				out.WriteString(" " + c.String() + "\n")
			}
		}
	}
	for _, f := range p.installed.more {
		out.WriteString(f.Name + ": " + f.Value + "\n")
	}
}

// value returns what a field of the status has for a package; empty for nothing.
func (db *database) value(p *pkg, name string) string {
	b := &p.installed
	switch name {
	case "Package":
		return p.set.name
	case "Essential":
		return yes(b.essential)
	case "Protected":
		return yes(b.protected)
	case "Status":
		flag := "ok"
		if p.reinstall {
			flag = "reinstreq"
		}
		return p.want + " " + flag + " " + p.state.String()
	case "Priority":
		if p.priority == "unknown" {
			return ""
		}
		return p.priority
	case "Section":
		return p.section
	case "Architecture":
		return b.arch
	case "Multi-Arch":
		if b.multiArch == "no" {
			return ""
		}
		return b.multiArch
	case "Version":
		return b.version.String()
	case "Config-Version":
		if p.state == installed || p.state == notInstalled || p.state == triggersPending {
			return ""
		}
		return p.configVersion.String()
	case "Triggers-Pending":
		return strings.Join(p.pending, " ")
	case "Triggers-Awaited":
		names := make([]string, len(p.awaits))
		for n, other := range p.awaits {
			names[n] = db.label(other, &other.installed)
		}
		return strings.Join(names, " ")
	}
	if slices.Contains(relationFields, name) {
		return b.relations(name).String()
	}
	return b.texts[name]
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return ""
}

// relations returns what a field of a package has.
func (b *binary) relations(field string) control.Relations {
	var rs control.Relations
	for _, d := range b.depends {
		if d.field != field {
			continue
		}
		group := make([]control.Relation, len(d.list))
		for n, one := range d.list {
			group[n] = one.Relation
		}
		rs = append(rs, group)
	}
	return rs
}

func (c conffile) String() string {
	s := c.name + " " + c.hash
	if c.obsolete {
		s += " obsolete"
	}
	if c.removeOnUpgrade {
		s += " remove-on-upgrade"
	}
	return s
}
