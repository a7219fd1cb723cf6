package dpkg

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages/dpkg/control"
)

// interest is the interest of a package in a file.
type interest struct {
	pkg     *pkg
	label   string // as triggers/File has it
	file    *file
	noAwait bool
}

// directive is a line of a package's triggers file.
type directive struct {
	activate bool // else it is an interest
	name     string
	noAwait  bool
}

// parseTriggers reads a triggers file (deb-triggers(5)).
func parseTriggers(text []byte) ([]directive, error) {
	var list []directive
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.Trim(line, " \t")
		if line == "" || line[0] == '#' {
			continue
		}
		word, name, _ := strings.Cut(line, " ")
		if w, rest, ok := strings.Cut(word, "\t"); ok {
			word, name = w, rest+" "+name
		}
		d := directive{name: strings.Trim(name, " \t")}
		switch kind, how, _ := strings.Cut(word, "-"); {
		case kind != "interest" && kind != "activate" || how != "" && how != "await" && how != "noawait":
			return nil, fmt.Errorf("triggers:%d: %.20q is not a directive that is known", n+1, word)
		default:
			d.activate, d.noAwait = kind == "activate", how == "noawait"
		}
		if !isFileTrigger(d.name) && (control.CheckName(d.name) != nil || strings.Contains(d.name, "_")) {
			return nil, fmt.Errorf("triggers:%d: %.60q is not the name of a trigger", n+1, d.name)
		}
		list = append(list, d)
	}
	return list, nil
}

// isFileTrigger reports whether a trigger is a path.
func isFileTrigger(name string) bool {
	return len(name) > 1 && name[0] == '/' && path.Clean(name) == name
}

// loadInterests reads which packages are interested in files.
func (db *database) loadInterests() error {
	text, err := tree.ReadText(db.t, fileTriggers)
	if err != nil {
		return err
	}
	for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if line == "" && n == 0 {
			return nil
		}
		name, who, ok := strings.Cut(line, " ")
		if !ok || !strings.HasPrefix(name, "/") {
			return fmt.Errorf("%s:%d: %.60q is not a file and a package", fileTriggers, n+1, line)
		}
		label, noAwait := cutNoAwait(who)
		p, err := db.named(label)
		if err != nil {
			return fmt.Errorf("%s:%d: %w", fileTriggers, n+1, err)
		}
		db.addFileInterest(&interest{p, label, db.file(name), noAwait})
	}
	db.edited = false
	return nil
}

func cutNoAwait(who string) (label string, noAwait bool) {
	label, how, _ := strings.Cut(who, "/")
	return label, how == "noawait"
}

// addFileInterest adds an interest; one of the same package is only changed.
func (db *database) addFileInterest(i *interest) {
	for _, other := range i.file.interests {
		if other.pkg == i.pkg {
			other.noAwait = i.noAwait
			return
		}
	}
	i.file.interests = append(i.file.interests, i)
	db.interests = append(db.interests, i)
	db.edited = true
}

// changeInterests removes the interests that the triggers file of an old package has, or adds
// those of a new one.
func (db *database) changeInterests(p *pkg, b *binary, text []byte, add bool) error {
	list, err := parseTriggers(text)
	if err != nil {
		return fmt.Errorf("package %s: %w", p.set.name, err)
	}
	for _, d := range list {
		switch {
		case d.activate:
		case !isFileTrigger(d.name):
			err = db.changeNamed(p, b, d, add)
		case add:
			db.addFileInterest(&interest{p, sameLabel(p, b), db.file(d.name), d.noAwait})
		default:
			f := db.file(d.name)
			if n := slices.IndexFunc(f.interests, func(i *interest) bool { return i.pkg == p }); n >= 0 {
				db.interests = without(db.interests, f.interests[n])
				f.interests = without(f.interests, f.interests[n])
				db.edited = true
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// changeNamed changes the file of a trigger that is not a path.
func (db *database) changeNamed(p *pkg, b *binary, d directive, add bool) error {
	at := triggersDir + "/" + d.name
	lines, err := db.whoOthers(at, p)
	if err != nil {
		return err
	}
	if add {
		who := sameLabel(p, b)
		if d.noAwait {
			who += "/noawait"
		}
		lines = append(lines, who)
	}
	if len(lines) == 0 {
		return db.remove(at)
	}
	return db.write(at, strings.Join(lines, "\n")+"\n")
}

// whoOthers returns the lines of the file of a trigger that are about other packages.
func (db *database) whoOthers(at string, except *pkg) ([]string, error) {
	text, err := tree.ReadText(db.t, at)
	if err != nil {
		return nil, err
	}
	var lines []string
	for who := range strings.FieldsSeq(string(text)) {
		label, _ := cutNoAwait(who)
		other, err := db.named(label)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if other != except {
			lines = append(lines, who)
		}
	}
	return lines, nil
}

// saveInterests writes triggers/File, if it is another.
func (db *database) saveInterests() error {
	if !db.edited {
		return nil
	}
	db.edited = false
	if len(db.interests) == 0 {
		return db.remove(fileTriggers)
	}
	var text strings.Builder
	for _, i := range db.interests {
		text.WriteString(i.file.name + " " + i.label)
		if i.noAwait {
			text.WriteString("/noawait")
		}
		text.WriteByte('\n')
	}
	return db.write(fileTriggers, text.String())
}
