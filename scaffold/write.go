package scaffold

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/output"
)

// Schema is where editors find the schema of slipway.yaml.
const schema = "https://raw.githubusercontent.com/slipway-dev/slipway/main/product/slipway.schema.json"

// writer writes YAML with comments.
type writer struct{ strings.Builder }

// mark notes the lines of slipway.yaml that write has an entry on.
func (w *writer) mark(e *entry, write func()) {
	e.line = 1 + strings.Count(w.String(), "\n")
	write()
	e.last = strings.Count(w.String(), "\n")
}

// kept are the entries that are not taken out.
func kept(all []entry) (list []*entry) {
	for n := range all {
		if !all[n].dropped {
			list = append(list, &all[n])
		}
	}
	return list
}

// line writes a line of literal YAML, with values where the format has %s.
func (w *writer) line(format string, values ...string) {
	var all []any
	for _, v := range values {
		all = append(all, scalar(v))
	}
	fmt.Fprintf(w, format+"\n", all...)
}

// withoutTheV is the version without the v that git's tag has.
const withoutTheV = `{{if eq (slice .Version 0 1) "v"}}{{slice .Version 1}}{{else}}{{.Version}}{{end}}`

// versions puts in what a version without the v of git's tag is, and the tag itself.
func (d *Draft) versions(s string) string {
	bare, tag, named := withoutTheV, "{{.Version}}", "{{.Version}}"
	if d.tagPrefix != "" {
		bare, tag = "{{.Version}}", d.tagPrefix+"{{.Version}}"
	}
	if d.form == withV {
		named = tag
	}
	return strings.NewReplacer(asBare, bare, asTag, tag, asNamed, named).Replace(s)
}

// fact writes a line with the comment on where its value comes from.
func (w *writer) fact(from, format string, values ...string) {
	var all []any
	for _, v := range values {
		all = append(all, scalar(v))
	}
	fmt.Fprintf(w, format+"%s\n", append(all, from)...)
}

// field writes a key with its value, unless that is empty.
func (w *writer) field(key, value string) {
	if value != "" {
		w.line(key+": %s", value)
	}
}

// fieldOf writes a key with a list of values in brackets, unless there are none.
func (w *writer) fieldOf(key string, values []string) {
	if len(values) > 0 {
		fmt.Fprintf(w, "%s: %s\n", key, list(values))
	}
}

// section begins a field of its own, after an empty line.
func (w *writer) section(key string) {
	w.line("")
	w.line(key + ":")
}

// note writes comments, one paragraph each, at an indentation.
func (w *writer) note(indent string, notes ...string) {
	const width = 110
	for _, n := range notes {
		line := indent + "#"
		for _, word := range strings.Fields(output.Line(n)) {
			if len(line)+1+len(word) > width && line != indent+"#" {
				fmt.Fprintln(w, line)
				line = indent + "#"
			}
			line += " " + word
		}
		fmt.Fprintln(w, line)
	}
}

// scalar writes a string so that every reader of YAML takes it for text, in lists in brackets, too.
func scalar(s string) string {
	b, err := yaml.Marshal(&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: s})
	text := strings.TrimSuffix(string(b), "\n")
	if err != nil || strings.ContainsAny(text, "\n") ||
		strings.ContainsAny(text, "{}[],") && !strings.ContainsAny(text[:1], `"'`) || strings.HasPrefix(s, "windows/") {
		return fmt.Sprintf("%q", s)
	}
	return text
}

func list(items []string) string {
	var all []string
	for _, i := range items {
		all = append(all, scalar(i))
	}
	return "[" + strings.Join(all, ", ") + "]"
}

func mapping(m map[string]string) string {
	var all []string
	for _, k := range sortedKeys(m) {
		all = append(all, scalar(k)+": "+scalar(m[k]))
	}
	return "{" + strings.Join(all, ", ") + "}"
}

// YAML returns the text of slipway.yaml.
func (d *Draft) YAML() []byte {
	w := &writer{}
	w.line("# yaml-language-server: $schema=" + schema)
	w.note("", "Written by slipway init. Check it with slipway check, and release a snapshot with slipway release.")
	w.line("apiVersion: slipway/v1")
	w.line("name: %s", d.name)
	w.note("", d.versionNotes...)
	if d.tagPrefix != "" && d.version != "git" {
		w.note("", "Its releases are called without the v of their tags. With git, write: tagPrefix: v")
	}
	w.line("version: %s", d.version)
	if d.tagPrefix != "" && d.version == "git" {
		w.fact(d.from("tagPrefix"), "tagPrefix: %s", d.tagPrefix)
	}
	w.line("")
	d.writeNames(w)
	var floats []string // of the only image, and its charts
	if len(d.images) == 1 {
		floats = d.images[0].floats
	}
	if d.names.repository != "" || len(floats) > 0 {
		w.line("names:")
		w.field("  repository", d.names.repository)
		if len(floats) > 0 {
			fmt.Fprintf(w, "  floatingTags: %s%s\n", list(floats), d.from("images["+d.images[0].name+"].tags"))
		}
		w.line("")
	}
	fmt.Fprintf(w, "platforms: %s%s\n", list(d.sortedPlatforms()),
		d.from("platforms[linux]", "platforms[windows]"))
	d.writeSource(w)
	d.writeBases(w)
	d.writePrograms(w)
	if len(d.images) > 0 {
		w.section("images")
	}
	for _, i := range d.images {
		d.writeImage(w, i)
	}
	d.writeArtifacts(w)
	d.writeRelease(w)
	d.writeCharts(w)
	d.writeAirgap(w)
	if d.linuxOnly {
		w.section("lint")
		w.line("  allow:")
		w.line("    - {rule: os-missing, reason: this product has images for Linux alone}")
	}
	d.writeUndecided(w)
	return []byte(w.String())
}

// writeUndecided writes the questions, and what images lack.
func (d *Draft) writeUndecided(w *writer) {
	if d.withCgo.file != "" && len(d.programs) > 0 {
		d.lacks("programs",
			"%s compiles with a C compiler: name one under cc of the programs, or take this out "+
				"if they need none", d.withCgo)
	}
	if len(d.Questions) == 0 {
		return
	}
	w.section("undecided")
	w.note("  ", "What nothing here proves. A fact that stands above is the first candidate, the likeliest. "+
		"slipway check is red until each entry is taken out.")
	for n, q := range d.Questions {
		d.Questions[n].line = 1 + strings.Count(w.String(), "\n")
		w.line("  - key: %s", q.Key)
		w.line("    what: %s", q.What)
		if len(q.Candidates) > 0 {
			w.line("    candidates:")
		}
		for _, c := range q.Candidates {
			text := "      - {value: " + scalar(c.Value)
			if len(c.Seen) > 0 {
				text += ", seen: " + list(c.Seen)
			}
			fmt.Fprintln(w, text+"}")
		}
	}
}

func (d *Draft) writeNames(w *writer) {
	if d.names.registry == "" {
		return
	}
	w.note("", "The names that users know: slipway release -registry=upstream publishes under them.")
	w.line("destinations:")
	w.fact(d.from("destinations"), "  - {name: upstream, registry: %s}", d.names.registry)
	for _, r := range d.otherRegistries {
		w.line("  - {name: %s, registry: %s}", strings.NewReplacer(".", "-", ":", "-").Replace(r), r)
	}
	w.line("")
}

// writeMap writes a mapping, unless it is empty, with the comment on each of its values.
func (d *Draft) writeMap(w *writer, indent, key string, m map[string]string, from func(key string) string) {
	if len(m) == 0 {
		return
	}
	w.line(indent + key + ":")
	for _, k := range sortedKeys(m) {
		w.fact(from(k), indent+"  %s: %s", k, d.versions(m[k]))
	}
}
