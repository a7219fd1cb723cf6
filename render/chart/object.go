package chart

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// Object is a YAML document that a chart made: usually a Kubernetes object.
type Object struct {
	Template string   // the template's path in the chart: templates/app.yaml
	Text     []byte   // without the separator ---
	Hooks    []string // when Helm applies it, if it is a hook: pre-install, test
	CRD      bool     // whether it is of a directory crds

	Lines []string // the places of the lines
}

// Origin returns the place in a template that a line of the text was made by, the first being 1:
// templates/app.yaml:12, or templates/app.yaml where the line is not known.
func (o Object) Origin(line int) string {
	if line < 1 || line > len(o.Lines) {
		return ""
	}
	return o.Lines[line-1]
}

// documents splits a text as Helm does: at lines that start with the separator of YAML, even if a
// template's {{- leaves the document's first line behind it. Documents of comments only are
// omitted.
func documents(template, text string, lines []string) []Object {
	var all []Object
	list := strings.SplitAfter(text, "\n")
	start := 0
	add := func(end int) {
		doc := strings.Join(list[start:end], "")
		if !empty(list[start:end]) {
			o := Object{Template: template, Text: []byte(doc), Hooks: hooks(doc)}
			if end <= len(lines) {
				o.Lines = lines[start:end]
			}
			all = append(all, o)
		}
	}
	for i, line := range list {
		if rest, ok := strings.CutPrefix(line, "---"); ok {
			add(i)
			start = i + 1
			if list[i] = strings.TrimLeft(rest, " \t"); !empty(list[i:start]) {
				start = i
			}
		}
	}
	add(len(list))
	return all
}

// empty reports whether lines are blank or comments.
func empty(lines []string) bool {
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "#") {
			return false
		}
	}
	return true
}

// hooks returns the events of the annotation helm.sh/hook.
func hooks(doc string) []string {
	if !strings.Contains(doc, "helm.sh/hook") {
		return nil
	}
	var o struct {
		Metadata struct {
			Annotations map[string]string `yaml:"annotations"`
		} `yaml:"metadata"`
	}
	if err := yaml.Unmarshal([]byte(doc), &o); err != nil {
		return nil // which who reads the object reports
	}
	var events []string
	for event := range strings.SplitSeq(o.Metadata.Annotations["helm.sh/hook"], ",") {
		if event = strings.ToLower(strings.TrimSpace(event)); event != "" {
			events = append(events, event)
		}
	}
	return events
}
