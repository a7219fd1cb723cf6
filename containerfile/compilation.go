package containerfile

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/containerfile/run"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// difference is a setting that the program lacks which takes the place of a stage.
type difference struct {
	setting
	word        string // of the instruction that it is about
	what, write string
}

// makes reports whether a command may compile a file, which is a program: a go build names the
// file, its directory, or the package.
func (c compilation) makes(file string, g *run.GoBuild) bool {
	if !c.isGo() {
		return true
	}
	var words []string
	for _, w := range c.words[2:] {
		if !w.Known {
			return true
		}
		words = append(words, w.Text)
	}
	output, packages := run.GoOutput(words)
	if output = strings.TrimSuffix(output, ".exe"); output != "" && path.Base(output) == path.Base(file) {
		return true
	}
	fits := func(p string) bool {
		return p == "." || strings.HasSuffix(p, "...") || strings.HasSuffix(p, ".go") ||
			path.Base(p) == path.Base(g.Package)
	}
	directory := output == "" || strings.HasSuffix(output, "/") || path.Base(output) == path.Base(path.Dir(file))
	return directory && slices.ContainsFunc(packages, fits)
}

// compare returns what the command sets and the program lacks.
func (c compilation) compare(g *run.GoBuild) (found []difference) {
	for _, d := range run.GoVariables {
		v, ok := c.vars[d.Name]
		have := g.Setting(d)
		switch {
		case !ok || !d.For(g.Platform.Architecture) || v.Known && cmp.Or(v.Text, have) == have:
		// whether a program needs cgo, its settings may decide
		case (!v.Known || d.Name == "CGO_ENABLED") && slices.ContainsFunc(g.Env, func(kv string) bool {
			return strings.HasPrefix(kv, d.Name+"=")
		}):
		default:
			write := "env: [" + d.Name + "=" + v.Text + "]"
			if d.Name == "CGO_ENABLED" {
				write = "its C compiler under cc, or env: [CGO_ENABLED=0] if it needs none,"
			}
			found = append(found, difference{v, v.Source, d.Name + "=" + v.Text, write})
		}
	}
	if v, ok := c.vars[script.Elsewhere]; ok && (!v.Known || v.Text != "" && v.Text != "off") &&
		len(g.Env) == 0 && g.Tags == nil {
		v.Known = false
		found = append(found, difference{v, v.Source, "variables", "env, [CGO_ENABLED=0] for none,"})
	}
	return slices.Concat(found, c.compareFlags(g), c.compareTags(g))
}

// instruments are flags by which the compiler adds something to a program.
var instruments = []string{"-race", "-msan", "-asan", "-cover"}

// compareFlags returns the instruments that the program lacks, of the words of the command, of
// GOFLAGS, and of any variable of another command than go.
func (c compilation) compareFlags(g *run.GoBuild) (found []difference) {
	compare := func(s setting, text string) {
		flag := strings.TrimSuffix(strings.Replace(strings.Trim(text, `"'`), "--", "-", 1), "=true")
		if slices.Contains(instruments, flag) && !slices.Contains(g.Flags, flag) {
			found = append(found, difference{s, s.Source, flag, "flags: [" + flag + "]"})
		}
	}
	for _, w := range c.words {
		compare(setting{w, "RUN", c.at}, w.Text)
	}
	for _, name := range slices.Sorted(maps.Keys(c.vars)) {
		if c.isGo() && name != "GOFLAGS" {
			continue
		}
		for _, f := range strings.Fields(c.vars[name].Text) {
			compare(c.vars[name], f)
		}
	}
	return found
}

func (c compilation) isGo() bool {
	return len(c.words) > 0 && script.IsGo(c.words[0].Text)
}

// tagVariables are the names that Makefiles have for build tags.
var tagVariables = lazyregexp.New(`^(?:GO_?)?(?:BUILD_?)?TAGS$`)

// compareTags returns the build tags that the program lacks: of -tags, of a variable that is named
// after them, and of any whose value has -tags. A go build gets those of GOFLAGS only without its
// own.
func (c compilation) compareTags(g *run.GoBuild) (found []difference) {
	add := func(s setting, text string) {
		lacks := func(tag string) bool { return !slices.Contains(g.Tags, tag) }
		tags := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
		switch missing := slices.DeleteFunc(tags, func(tag string) bool { return !lacks(tag) }); {
		case s.Known && len(missing) > 0:
			list := strings.Join(missing, ", ")
			found = append(found, difference{s, s.Source, "the build tags " + list, "tags: [" + list + "]"})
		case !s.Known && g.Tags == nil:
			found = append(found, difference{s, s.Source, "build tags", "tags, [] for none,"})
		}
	}
	var own bool
	for n, w := range c.words {
		s := setting{w, "RUN", c.at}
		switch text, given, next := tagsOf(w.Text); {
		case given:
			own = true
			add(s, text)
		case next && n+1 < len(c.words):
			own = true
			add(setting{c.words[n+1], "RUN", c.at}, c.words[n+1].Text)
		}
	}
	for _, w := range c.unclear() {
		add(setting{w, "RUN", c.at}, "")
	}
	for name, v := range c.vars {
		if name == "GOFLAGS" && !v.Known && v.Text == "" {
			add(v, "")
		}
		if c.isGo() && (own || name != "GOFLAGS") {
			continue
		}
		if tagVariables.MatchString(name) {
			add(v, strings.TrimPrefix(strings.TrimPrefix(v.Text, "-"), "-tags="))
			continue
		}
		fields := strings.Fields(v.Text)
		for n, f := range fields {
			switch text, given, next := tagsOf(strings.Trim(f, `"'`)); {
			case given:
				add(v, text)
			case next && n+1 < len(fields):
				add(v, strings.Trim(fields[n+1], `"'`))
			}
		}
	}
	slices.SortFunc(found, func(a, b difference) int { return strings.Compare(a.word, b.word) })
	return found
}

// unclear returns the unknown words of a go build that may be flags: those before the packages
// that are not the value of a flag.
func (c compilation) unclear() (all []script.Value) {
	if !c.isGo() || len(c.words) < 2 {
		return nil
	}
	for n := 2; n < len(c.words); n++ {
		w := c.words[n]
		switch name, given := run.GoFlag(w.Text); {
		case !w.Known && !given && (w.Text == "" || name != ""):
			all = append(all, w)
		case name == "":
			return all
		case !given && run.GoValued(name):
			n++
		}
	}
	return all
}

// tagsOf reads one word as the flag -tags. next means that its value is the next word.
func tagsOf(word string) (value string, given, next bool) {
	name, value, given := strings.Cut(word, "=")
	if name != "-tags" && name != "--tags" {
		return "", false, false
	}
	return strings.Trim(value, `"'`), given, !given
}
