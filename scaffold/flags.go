package scaffold

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// ldflags adds the flags of the linker in a text, each once.
func (d *Draft) ldflags(text string, from place) {
	if len(text) > maxExpanded {
		return
	}
	text = strings.NewReplacer(`"`, "", `'`, "").Replace(text)
	if strips := stripping(text); strips != "" {
		d.addFlag("ldflags", strips, from)
	}
	for _, m := range setting.FindAllStringSubmatch(text, -1) {
		pkg, variable, value := strings.TrimSuffix(m[1], "~"), m[2], strings.Trim(m[3], `'"`)
		if strings.ContainsAny(pkg, "$(){}") {
			d.leave("values of the linker whose package only make knows", "%s (%s)", variable, from)
			continue
		}
		if !d.sets(pkg, variable) {
			if pkg != "main" { // which a Makefile of another project that this one includes may set
				d.leave("values of the linker for variables that do not exist", "%s.%s (%s)", pkg, variable, from)
			}
			continue
		}
		prefix := "-X " + pkg + "." + variable + "="
		if now, ok := d.template(variable, value); ok {
			d.addFlag("ldflags", prefix+now, from)
		} else {
			d.leave("values of the linker that nothing here has in a release",
				"%s.%s=%s (%s)", pkg, variable, value, from)
		}
	}
}

// stripping returns the flags of a text that take tables out of a program, which change its size
// alone: -s, -w, or both.
func stripping(text string) string {
	words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n\"'=", r) })
	var all []string
	for _, flag := range []string{"-s", "-w"} {
		if slices.Contains(words, flag) {
			all = append(all, flag)
		}
	}
	return strings.Join(all, " ")
}

// sets reports whether the module may have a package with a variable of that name.
func (d *Draft) sets(pkg, variable string) bool {
	dirs := []string{}
	if pkg == "main" {
		for _, m := range d.mains {
			dirs = append(dirs, m.dir)
		}
	} else if rel, ok := within(pkg, d.source.module); ok {
		dirs = append(dirs, rel)
	} else {
		return strings.Contains(pkg, ".") // of a dependency
	}
	word := regexp.MustCompile(`(?m)^\s*(?:var\s+)?(?:\w+,\s*)*` + variable + `\b[^:\n]*(?:=|string)`)
	return slices.ContainsFunc(d.tree.files, func(f string) bool {
		rel, ok := within(path.Dir(f), d.source.dir)
		return ok && path.Ext(f) == ".go" && slices.Contains(dirs, rel) && word.Match(d.tree.text(f))
	})
}

// compilerFlag is what a build gives the compiler: a flag of the linker, a build tag, or a variable
// of its environment.
type compilerFlag struct {
	key, text string // the key of a source
	at        place
	rank      rank
	of        string // the main package, "" if it is not known
}

// addFlag notes a flag, unless the same file gives the same variable another value.
func (d *Draft) addFlag(key, text string, at place) {
	f := compilerFlag{key, text, at, d.compileRank(at), d.compiled}
	name, _, _ := strings.Cut(text, "=")
	n := slices.IndexFunc(d.flags, func(o compilerFlag) bool {
		other, _, _ := strings.Cut(o.text, "=")
		return o.key == key && other == name && o.at.file == at.file &&
			(o.of == f.of || o.rank == f.rank && (o.of == "" || f.of == ""))
	})
	if n < 0 {
		d.flags = append(d.flags, f)
	} else if d.flags[n].rank < f.rank {
		d.flags[n] = f
	}
	d.note(key+" "+text, at)
}

// compileRank returns the rank of a line that gives the compiler flags.
func (d *Draft) compileRank(at place) rank {
	switch {
	case d.make.Files[at.file]:
		return d.makeRank(at)
	case slices.Contains(d.files, at.file):
		return publishes // a Dockerfile of the release
	case strings.HasSuffix(at.file, ".ko.yaml"):
		return publishes
	case strings.Contains(at.file, "goreleaser") && d.publishers.calls("goreleaser"),
		strings.Contains(at.file, "promu") && d.publishers.calls("promu"):
		return publishes
	}
	return d.publishers.of(at.file)
}
