package scaffold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/output"
)

// Schema is where editors find the schema of slipway.yaml.
const schema = "https://raw.githubusercontent.com/slipway-dev/slipway/main/product/slipway.schema.json"

// writer writes YAML with comments.
type writer struct{ strings.Builder }

// line writes a line of literal YAML, with values where the format has %s.
func (w *writer) line(format string, values ...string) {
	var all []any
	for _, v := range values {
		all = append(all, scalar(v))
	}
	fmt.Fprintf(w, format+"\n", all...)
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
	w.note("", d.left...)
	w.line("apiVersion: slipway/v1")
	w.line("name: %s", d.name)
	w.note("", d.versionNotes...)
	if d.tagPrefix != "" && d.version != "git" {
		w.note("", "Its releases are called without the v of their tags. With git, write: tagPrefix: v")
	}
	w.line("version: %s", d.version)
	if d.tagPrefix != "" && d.version == "git" {
		w.line("tagPrefix: %s", d.tagPrefix)
	}
	w.field("description", d.description)
	w.line("")
	d.writeNames(w)
	if d.names.repository != "" || len(d.floatingTags) > 0 {
		w.line("names:")
		w.field("  repository", d.names.repository)
		w.fieldOf("  floatingTags", d.floatingTags)
		w.line("")
	}
	w.note("", d.platformNotes...)
	w.line("platforms: " + list(slices.Sorted(slices.Values(d.platforms))))
	d.writeSource(w)
	d.writeBases(w)
	d.writePrograms(w)
	w.section("images")
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
	return []byte(w.String())
}

func (d *Draft) writeNames(w *writer) {
	if d.names.registry == "" {
		return
	}
	w.note("", "The names that users know: slipway release -registry=upstream publishes under them.")
	w.line("destinations:")
	w.line("  - {name: upstream, registry: %s}", d.names.registry)
	for _, r := range d.otherRegistries {
		w.line("  - {name: %s, registry: %s}", strings.NewReplacer(".", "-", ":", "-").Replace(r), r)
	}
	w.line("")
}

func (d *Draft) writeBases(w *writer) {
	if len(d.bases) == 0 {
		return
	}
	w.section("bases")
	for _, b := range d.bases {
		switch {
		case len(b.inPlaceOf) > 0:
			fmt.Fprintf(w, "  - {name: %s, builtin: %s, inPlaceOf: %s}\n", scalar(b.name), scalar(b.builtin),
				list(b.inPlaceOf))
		case b.builtin != "":
			w.line("  - {name: %s, builtin: %s}", b.name, b.builtin)
		case b.microsoft != "":
			w.line("  - {name: %s, microsoft: %s}", b.name, b.microsoft)
		default:
			w.line("  - name: %s", b.name)
			w.line("    images:")
			for _, p := range sortedKeys(b.images) {
				w.line("      %s: %s", p, b.images[p])
			}
		}
	}
}

func (d *Draft) writePrograms(w *writer) {
	if len(d.programs) == 0 {
		return
	}
	w.line("")
	if unused := d.unused(); len(unused) > 0 {
		w.note("", "No image has these main packages: "+listed(unused))
	}
	w.line("programs:")
	for _, p := range d.programs {
		text := "  - {name: " + scalar(p.name) + ", source: " + scalar(d.sourceName(p.module)) +
			", package: " + scalar(packagePath(p.dir, p.module))
		if len(p.os) > 0 {
			text += ", os: " + list(p.os)
		}
		fmt.Fprintln(w, text+"}")
	}
}

func (d *Draft) writeImage(w *writer, i image) {
	w.line("  - name: %s", i.name)
	w.field("    repository", i.repository)
	w.fieldOf("    tags", i.tags)
	if len(d.floatingTags) > 0 && d.shares(i) {
		w.line("    floatingTags: [\"\"]")
	}
	w.field("    description", i.description)
	w.fieldOf("    platforms", i.platforms)
	if i.program != "" {
		w.line("    bases: " + mapping(i.bases))
		w.line("    go: {program: %s}", i.program)
		return
	}
	w.line("    source: %s", d.name)
	d.writeDockerfile(w, i)
}

// shares reports whether an image is in the repository of one before it, which has the floating
// tags.
func (d *Draft) shares(i image) bool {
	for _, o := range d.images {
		if o.name == i.name {
			return false
		}
		if d.repositoryOf(o) != "" && d.repositoryOf(o) == d.repositoryOf(i) {
			return true
		}
	}
	return false
}

func (d *Draft) writeDockerfile(w *writer, i image) {
	w.line("    dockerfile:")
	w.line("      files: " + mapping(i.dockerfiles))
	w.line("      context: %s", cmp.Or(i.context, "."))
	w.field("      target", i.target())
	writeMap(w, "args", i.args())
	writeMap(w, "outputs", i.outputs())
	if len(i.missing) > 0 {
		w.note("    ", "Each is an error of slipway check until it is written above and taken out here, "+
			"or allowed under lint.allow.")
		w.line("    missing:")
		for _, m := range i.missing {
			w.line("      - %s", m)
		}
	}
}

func writeMap(w *writer, key string, m map[string]string) {
	if len(m) == 0 {
		return
	}
	w.line("      " + key + ":")
	for _, k := range sortedKeys(m) {
		w.line("        %s: %s", k, m[k])
	}
}
