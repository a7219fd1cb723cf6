package chart_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/render/chart"
)

// drawn is a chart that was drawn, and what is known of it.
type drawn struct {
	*rand.Rand
	files    strings.Builder                // a txtar archive
	uses     map[string]map[string]drawnUse // by the path of a chart's values, and the name of the container
	switches []string                       // paths of values that enable something
	numbers  int
}

// drawnUse is the use of an image in a template.
type drawnUse struct {
	values []string // the paths of its values in those of its chart
}

// pool are the images that charts use: some that find knows, and one that only a mapping does.
var pool = [][2]string{
	{"old.example.com/app", "v1.0"},
	{"example.com/team/app", "v1.0"},
	{"example.com/team/app", "v1.0-hp"},
	{"registry.k8s.io/rest", "1.2"},
	{"registry.k8s.io/sig/rest", "v1.0"},
	{"quay.io/z/proxy", "1"},
	{"quay.io/z/proxy", "v1.0"},
}

// form writes values and the text of a template for an image. $ is the path of the values in the
// template, %[1]s the registry, %[2]s the rest of the repository, %[3]s the tag.
type form struct {
	values, text string
	parts        []string // of the values, besides their own path
}

var forms = []form{
	{"%[1]s/%[2]s:%[3]s", "{{ $ }}", []string{""}},
	{`"%[1]s/%[2]s:%[3]s" # the image`, "{{ $ | quote }}", []string{""}},
	{"{repository: %[1]s/%[2]s, tag: %[3]q}", "{{ $.repository }}:{{ $.tag }}", []string{".repository", ".tag"}},
	{
		"{repository: %[1]s/%[2]s, tag: %[3]q}", `{{ printf "%%s:%%s" $.repository $.tag | quote }}`,
		[]string{".repository", ".tag"},
	},
	{
		"{registry: %[1]s, name: %[2]s, tag: %[3]q}", `"{{ $.registry }}/{{ $.name }}:{{ $.tag }}"`,
		[]string{".registry", ".name", ".tag"},
	},
	{
		"\n  repository: '%[1]s/%[2]s'\n  tag: %[3]q # of it\n  digest: \"\"",
		"{{ $.repository }}{{ if $.digest }}@{{ $.digest }}{{ else }}:{{ $.tag }}{{ end }}",
		[]string{".repository", ".tag", ".digest"},
	},
	{
		"\n  repository: %[1]s/%[2]s\n  tag: %[3]q",
		`"{{ $.repository }}:{{ $.tag }}{{ with $.sha }}@sha256:{{ . }}{{ end }}"`,
		[]string{".repository", ".tag"},
	},
	{"{repository: %[1]s/%[2]s}", `"{{ $.repository }}:{{ $.tag | default %[3]q }}"`, []string{".repository"}},
	{"{repository: %[1]s/%[2]s, tag: %[3]q}", `{{ include "image" $ }}`, []string{".repository", ".tag"}},
	{"{repository: %[1]s/%[2]s, tag: %[3]q}", "\"{{ $.repository }}:{{ $.tag }}\"\n    env: [{name: " +
		"VERSION, value: {{ $.tag | quote }}}]", []string{".repository", ".tag"}},
	{"[{image: \"%[1]s/%[2]s:%[3]s\"}]", "{{ (first $).image }}", []string{"[0].image"}},
	{"%[2]s:%[3]s", `"{{ (.Values.global).registry | default "%[1]s" }}/{{ $ }}"`, []string{""}},
	{"{}", "%[1]s/%[2]s:%[3]s", nil},
	{"{repository: %[1]s/%[2]s}", `"{{ $.repository }}:{{ .Values.shared }}"`, []string{".repository"}},
	{"{}", `%[1]s/%[2]s:{{ .Values.shared }}`, nil},
	{"{repository: %[1]s/%[2]s, tag: %[3]q}", `{{- include "lines" $ | nindent 4 }}`, []string{".repository", ".tag"}},
}

// helpers are what some of the forms call.
const helpers = `{{- define "image" -}}
{{ .repository }}:{{ .tag }}
{{- end }}
{{- define "lines" -}}
image: "{{ .repository }}:{{ .tag }}"
env: [{name: VERSION, value: {{ .tag | quote }}}]
{{- end }}
`

// draw draws a chart.
func draw(seed, n uint64) *drawn {
	d := &drawn{Rand: rand.New(rand.NewPCG(seed, n)), uses: map[string]map[string]drawnUse{}}
	d.chart("app", "app", []string{""}, 0)
	return d
}

func (d *drawn) one(in int) bool { return d.IntN(in) == 0 }

func (d *drawn) file(name, text string) { fmt.Fprintf(&d.files, "-- %s --\n%s", name, text) }

// chart draws a chart in a directory, which the charts above know by several paths of values. It
// returns its values of its own, and those that a chart above may replace.
func (d *drawn) chart(dir, name string, paths []string, depth int) (replaceable []string) {
	metadata := fmt.Sprintf("apiVersion: v2\nname: %s\nversion: 1.%d.0\nappVersion: \"1.2\"\n", name, depth)
	var values, template strings.Builder
	uses := map[string]drawnUse{}
	for range 1 + d.IntN(3) {
		d.numbers++
		key, f, image := fmt.Sprintf("v%d", d.numbers), forms[d.IntN(len(forms))], pool[d.IntN(len(pool))]
		registry, rest, _ := strings.Cut(image[0], "/")
		fmt.Fprintf(&values, "%s: %s\n", key, fill(f.values, registry, rest, image[1]))
		use := drawnUse{}
		for _, p := range f.parts {
			use.values = append(use.values, key+p)
			replaceable = append(replaceable, key+
				p+"="+map[string]string{"": image[0] + ":" + image[1], ".repository": image[0], ".tag": image[1]}[p])
		}
		uses["c"+key] = use
		d.object(&template, key, strings.ReplaceAll(fill(f.text, registry, rest, image[1]), "$", ".Values."+key),
			&values, paths)
	}
	values.WriteString("shared: v1.0\n")
	if depth == 0 && d.one(3) {
		values.WriteString("global: {registry: registry.k8s.io}\n")
	}
	for _, p := range paths {
		d.uses[p] = uses
	}
	if depth < 2 {
		metadata += d.subcharts(dir, paths, depth, &values)
	}
	d.file(dir+"/Chart.yaml", metadata)
	d.file(dir+"/values.yaml", values.String())
	d.file(dir+"/templates/a.yaml", template.String())
	if depth == 0 {
		d.file(dir+"/templates/_helpers.tpl", helpers)
	}
	return replaceable
}

// fill fills in a form.
func fill(f, registry, rest, tag string) string {
	if !strings.Contains(f, "%") {
		return f
	}
	return fmt.Sprintf(f+"%.0[1]s%.0[2]s%.0[3]s", registry, rest, tag)
}

// object adds an object with a container, perhaps a hook, and perhaps only if a value enables it.
func (d *drawn) object(to *strings.Builder, key, image string, values *strings.Builder, paths []string) {
	annotations := ""
	if d.one(4) {
		annotations = ", annotations: {helm.sh/hook: " +
			[]string{"pre-install", "post-upgrade", "pre-delete"}[d.IntN(3)] + "}"
	}
	field := "image: "
	if d.one(6) && !strings.Contains(image, "\n") && !strings.Contains(image, `"`) &&
		!strings.Contains(image, "quote") {
		field = "args:\n    - --image="
	}
	if strings.HasPrefix(image, "{{-") {
		field = ""
	}
	text := fmt.Sprintf("---\napiVersion: v1\nkind: Pod\nmetadata: {name: "+
		"%s%s}\nspec:\n  containers:\n  - name: c%s\n    %s%s\n", key, annotations, key, field, image)
	if d.one(4) {
		fmt.Fprintf(values, "on%s: %t\n", key, d.one(2))
		text = "{{- if .Values.on" + key + " }}\n" + text + "{{- end }}\n"
		for _, p := range paths {
			d.switches = append(d.switches, p+"on"+key)
		}
	}
	to.WriteString(text)
}

// subcharts draws subcharts, and returns the dependencies for Chart.yaml.
func (d *drawn) subcharts(dir string, paths []string, depth int, values *strings.Builder) string {
	var list strings.Builder
	for n := range d.IntN(3) {
		name := fmt.Sprintf("s%d%d", depth, n)
		aliases := []string{name}
		if d.one(2) {
			aliases = []string{name + "one", name + "two", name + "three"}[:1+d.IntN(3)]
		}
		var below []string
		for _, a := range aliases {
			for _, p := range paths {
				below = append(below, p+a+".")
			}
		}
		replaceable := d.chart(dir+"/charts/"+name, name, below, depth+1)
		for _, a := range aliases {
			fmt.Fprintf(&list, "- {name: %s, version: 1.x.x", name)
			if a != name {
				fmt.Fprintf(&list, ", alias: %s", a)
			}
			own := map[string]string{}
			if d.one(2) {
				fmt.Fprintf(&list, ", condition: %s.enabled", a)
				own["enabled"] = fmt.Sprint(d.one(2))
				for _, p := range paths {
					d.switches = append(d.switches, p+a+".enabled")
				}
			} else if d.one(3) && depth == 0 {
				fmt.Fprintf(&list, ", tags: [%s]", a)
				d.switches = append(d.switches, "tags."+a)
			}
			list.WriteString("}\n")
			for _, r := range replaceable {
				if path, text, _ := strings.Cut(r, "="); text != "" && d.one(5) && !strings.Contains(path, "[") {
					own[path] = fmt.Sprintf("%q", text)
				}
			}
			writeValues(values, a, own)
		}
	}
	if list.Len() == 0 {
		return ""
	}
	return "dependencies:\n" + list.String()
}

// writeValues writes the values of a subchart, by their paths of at most two keys.
func writeValues(to *strings.Builder, alias string, own map[string]string) {
	if len(own) == 0 {
		return
	}
	fmt.Fprintf(to, "%s:\n", alias)
	last := ""
	for _, path := range slices.Sorted(maps.Keys(own)) {
		key, field, nested := strings.Cut(path, ".")
		if !nested {
			fmt.Fprintf(to, "  %s: %s\n", key, own[path])
			continue
		}
		if key != last {
			fmt.Fprintf(to, "  %s:\n", key)
			last = key
		}
		fmt.Fprintf(to, "    %s: %s\n", field, own[path])
	}
}

// mappings draws values that are mapped to an image.
func (d *drawn) mappings() (all []chart.Mapping) {
	for _, p := range slices.Sorted(maps.Keys(d.uses)) {
		for _, name := range slices.Sorted(maps.Keys(d.uses[p])) {
			if u := d.uses[p][name]; len(u.values) > 0 && d.one(6) {
				all = append(all, chart.Mapping{Path: p + u.values[0], Image: appImage})
			}
		}
	}
	return all
}

// cases draws values that switch something on or off, or replace one.
func (d *drawn) cases() []chart.Case {
	all := []chart.Case{{}}
	for n := range d.IntN(3) {
		values := map[string]any{}
		for _, s := range d.switches {
			if d.one(2) {
				setValue(values, s, d.one(2))
			}
		}
		all = append(all, chart.Case{Name: fmt.Sprintf("case%d", n), Options: chart.Options{Values: values}})
	}
	return all
}

// everything are values that switch everything on.
func (d *drawn) everything() map[string]any {
	values := map[string]any{}
	for _, s := range d.switches {
		setValue(values, s, true)
	}
	return values
}

func setValue(values map[string]any, path string, v any) {
	keys := strings.Split(path, ".")
	for _, k := range keys[:len(keys)-1] {
		if values[k] == nil {
			values[k] = map[string]any{}
		}
		values = values[k].(map[string]any)
	}
	values[keys[len(keys)-1]] = v
}
