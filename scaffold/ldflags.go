package scaffold

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// makeText is what messages call the Makefiles.
const makeText = "The Makefile"

var (
	ldflagsName = lazyregexp.New(`(?i)ld_?flags`)
	// setting is -X of the linker. The value ends with the word, the quotes or the line; $(…) is
	// part of it, whatever is within.
	setting = lazyregexp.New(
		`-X[ =]+['"]?([A-Za-z0-9_./~$(){}-]+)\.([A-Za-z_][A-Za-z0-9_]*)=("[^"]*"|'[^']*'|(?:\$\([^)]*(?:\([^)]*\)[^)]*)*\)|\$?\{\{?[^}]*\}\}?|[^\s'"$])*)`)
	strips     = lazyregexp.New(`(?:^|[\s"'=])-(s|w)(?:[\s"']|$)`)
	goBuild    = lazyregexp.New(`\bgo build\b(.*)$`)
	outputFlag = lazyregexp.New(`-o[ =]+"?([^\s"]+)"?`)
	cmdPath    = lazyregexp.New(
		`(?:^|\s)\.?/?((?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-]+)(?:/?|/\*|/\*\.go|/[a-z_]+\.go)\s*(?:[;)&|].*)?$`)
	// substitution is what the shell or make would put in place, and quoted text.
	substitution = lazyregexp.New(`\$\([^()]*(?:\([^()]*\)[^()]*)*\)|'[^']*'|"[^"]*"`)
)

// makeLdflags takes the linker's flags from variables and recipes.
func (d *Draft) makeLdflags() {
	var texts []string
	for name, v := range d.make.values {
		if ldflagsName.MatchString(name) {
			texts = append(texts, v)
		}
	}
	slices.Sort(texts)
	for _, r := range d.make.recipes {
		if strings.Contains(r, "-ldflags") || strings.Contains(r, "-X ") {
			texts = append(texts, r)
		}
	}
	for _, t := range texts {
		d.ldflags(d.make.expand(t), makeText)
	}
}

// ldflags adds the flags of the linker in a text, each once.
func (d *Draft) ldflags(text, from string) {
	if len(text) > maxExpanded {
		return
	}
	text = strings.NewReplacer(`"`, "", `'`, "").Replace(text)
	if strips.MatchString(text) {
		d.addLdflag("-s -w")
	}
	for _, m := range setting.FindAllStringSubmatch(text, -1) {
		pkg, variable, value := strings.TrimSuffix(m[1], "~"), m[2], strings.Trim(m[3], `'"`)
		if strings.ContainsAny(pkg, "$(){}") {
			d.source.note("%s sets %s, whose package is not known without running make", from, variable)
			continue
		}
		if !d.sets(pkg, variable) {
			if pkg != "main" { // which a Makefile of another project that this one includes may set
				d.source.note("%s sets %s.%s, which is not there", from, pkg, variable)
			}
			continue
		}
		prefix := "-X " + pkg + "." + variable + "="
		if slices.ContainsFunc(d.source.ldflags, func(s string) bool { return strings.HasPrefix(s, prefix) }) {
			continue
		}
		if now, ok := template(variable, value); ok {
			d.addLdflag(prefix + now)
		} else {
			d.source.note("%s sets %s.%s=%s: left out, since nothing here has that value in a release",
				from, pkg, variable, value)
		}
	}
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

func (d *Draft) addLdflag(s string) {
	d.source.ldflags = appendNew(d.source.ldflags, s)
}

var (
	commitName  = lazyregexp.New(`(?i)commit|revision|sha|vcs|gitrev`)
	dateName    = lazyregexp.New(`(?i)date|time`)
	versionName = lazyregexp.New(`(?i)version|release|tag`)
	foreignName = lazyregexp.New(`(?i)branch|user|host|dirty|state`)
	plainValue  = lazyregexp.New(`^[A-Za-z0-9_.:/@+=-]+$`)
)

// template returns what slipway.yaml writes for a value that a build gives a variable.
func template(variable, value string) (string, bool) {
	variable = strings.TrimPrefix(strings.ToLower(variable), "git") // gitVersion
	switch {
	case foreignName.MatchString(variable):
		return "", false
	case commitName.MatchString(variable):
		return "{{.Revision}}", true
	case dateName.MatchString(variable):
		return "{{.Created}}", true
	case versionName.MatchString(variable):
		return "{{.Version}}", true
	case plainValue.MatchString(value):
		return value, true
	}
	return "", false
}

// makeOutputs remembers how recipes call the programs that they build.
func (d *Draft) makeOutputs() {
	if d.make.value("CGO_ENABLED") == "1" {
		d.noteCgo(makeText, "")
	}
	for _, r := range d.make.recipes {
		if strings.Contains(r, "go build") {
			d.environment(d.make.expand(r), makeText)
		}
		if b := goBuild.FindStringSubmatch(d.make.expand(r)); b != nil {
			d.goBuild(b[1], "")
		}
	}
}

// goBuild remembers the program of the arguments of go build, in a directory of the module.
func (d *Draft) goBuild(args, dir string) (mainPackage, bool) {
	name := ""
	if o := outputFlag.FindStringSubmatch(args); o != nil {
		name = strings.TrimSuffix(path.Base(o[1]), ".exe")
		args = strings.Replace(args, o[0], " ", 1)
	}
	pkg := cmp.Or(dir, ".")
	if p := cmdPath.FindStringSubmatch(strings.TrimSpace(substitution.ReplaceAllString(args, ""))); p != nil &&
		p[1][0] != '-' {
		pkg = path.Join(dir, strings.TrimPrefix(p[1], d.source.module+"/"))
	}
	m, ok := d.mainIn(pkg)
	if !ok {
		return m, false
	}
	d.compilerSettings(args)
	if name == "" || strings.ContainsAny(name, "$(){}*") {
		name = m.name
	}
	d.outputs[name] = pkg
	return m, true
}

var (
	tagsFlag = lazyregexp.New(`-tags[ =]+["']?([A-Za-z0-9_.]+(?:[, ][A-Za-z0-9_.]+)*)["']?(?:\s+[-.]|\s*$)`)
	setsEnv  = lazyregexp.New(`\b(CGO_ENABLED|GOFIPS140|GOEXPERIMENT|GOAMD64)=["']?([A-Za-z0-9_.,]+)`)
)

// compilerSettings takes build tags from the arguments of go build.
func (d *Draft) compilerSettings(args string) {
	if m := tagsFlag.FindStringSubmatch(args); m != nil {
		tags := strings.FieldsFunc(m[1], func(r rune) bool { return r == ',' || r == ' ' })
		d.source.tags = appendNew(d.source.tags, tags...)
	}
}

// environment takes what a command line sets for the go command.
func (d *Draft) environment(line, from string) {
	for _, m := range setsEnv.FindAllStringSubmatch(line, -1) {
		switch setting := m[1] + "=" + m[2]; {
		case setting == "CGO_ENABLED=0":
		case m[1] == "CGO_ENABLED":
			if from == makeText { // a stage of a Dockerfile that compiles says it itself
				d.noteCgo(from, line)
			}
		default:
			d.source.env = appendNew(d.source.env, setting)
		}
	}
}
