package workload

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Composed is what several values of a custom resource name together: an image in fields such as
// registry, repository, image, tag, version and digest.
type Composed struct {
	// Reference is empty where the fields give none: what the controller pulls is not known then.
	// Value is the name of a repository then, unless it is a chart.
	Reference string
	Value     string // of the field that names it
	Chart     bool   // the value is a chart, or another artifact, and no image
	Why       string // the cause of an empty reference, other than a missing tag
	Pos       yamlfile.Pos
	Path      string // of the field within the document, and in the YAML that a field has
}

// Composed calls visit for what fields of a custom resource name together, in the order of the
// manifest. The values of Helm charts that a field, a ConfigMap or a Secret has as YAML are read,
// too. A field that has a reference of its own is one of [Object.Texts].
func (o Object) Composed(visit func(Composed)) {
	o.compose(visit)
}

func (o Object) compose(visit func(Composed)) *parts {
	w := composedWalk{object: o, visit: visit, parts: newParts()}
	w.data()
	if !isBuiltin(o.APIVersion) && o.Kind != "CustomResourceDefinition" {
		w.node(w.singles(o.Node), nil)
	}
	return w.parts
}

type composedWalk struct {
	object Object
	visit  func(Composed)
	parts  *parts
	set    []*yaml.Node // values of other objects
	line   int          // before the YAML that is read, or of all of it
	at     string       // the field that has it
	quoted bool         // it has no lines of its own there
	global string       // the registry of images that the values around name, by Bitnami's convention
}

func (w *composedWalk) node(n *yaml.Node, path []any) {
	defer w.within(n)()
	switch n.Kind {
	case yaml.MappingNode:
		w.fields(n, path)
		w.dotted(n, path)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i].Value, n.Content[i+1]
			at := append(slices.Clone(path), key)
			switch {
			case slices.Contains([]string{"metadata", "selector", "matchLabels", "status"}, key):
			case value.Kind == yaml.ScalarNode && w.at == "" && (key == "valuesContent" || key == "values"):
				w.text(value, at)
			default:
				w.node(value, at)
			}
		}
	case yaml.ScalarNode:
		if strings.HasPrefix(n.Value, "oci://") {
			w.add(n, path, Composed{Value: n.Value, Chart: true})
		}
	case yaml.SequenceNode:
		w.dotted(parameters(n), path)
		for i, item := range n.Content {
			if item.Kind == yaml.ScalarNode && len(path) > 0 && isPlural(path[len(path)-1]) && hasHost(item.Value) {
				w.add(item, append(slices.Clone(path), i), Composed{Value: item.Value})
			}
			w.node(item, append(slices.Clone(path), i))
		}
	}
}

// text reads the YAML that a field has: HelmChart and HelmChartConfig of k3s, Application of Argo
// CD.
func (w *composedWalk) text(n *yaml.Node, path []any) {
	inner := composedWalk{object: w.object, visit: w.visit, parts: w.parts, at: yamlfile.Path(w.object.Path, path...)}
	inner.line, inner.quoted = n.Line, n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) == 0
	f := yamlfile.Read(inner.at, []byte(n.Value), options)
	if len(f.Errors) > 0 && (w.at == "" && path[len(path)-1] != "values" || strings.Contains(n.Value, "\n")) {
		bad := f.Sorted()[0]
		w.visit(Composed{
			Value: inner.at, Path: inner.at, Why: bad.Text,
			Pos: yamlfile.Pos{File: w.object.File, Line: inner.lineOf(bad.Pos.Line)},
		})
	}
	for _, root := range f.Documents {
		inner.node(root, nil)
	}
}

// fields joins the fields of one group.
func (w *composedWalk) fields(n *yaml.Node, path []any) {
	all, taken := named(n, path), map[string]bool{}
	w.parts.add(n, len(all) > 0)
	for _, c := range all {
		w.image(n, path, c, taken)
	}
}

// image joins the fields of one image.
func (w *composedWalk) image(n *yaml.Node, path []any, c candidate, taken map[string]bool) {
	text := scalars(n)
	key := c.key
	if c.base == "" || c.base[0] == '/' || strings.Contains(c.base, "://") || filledIn.MatchString(c.base) ||
		complete(c.base) && inTexts(c) && !slices.Contains(w.set, yamlfile.Value(n, key)) {
		return
	}
	base, why := w.registry(text("registry"), c)
	reference := base
	if !complete(base) {
		tag, digest := version(text, c, taken)
		if tag != "" {
			reference += ":" + tag
		}
		if digest != "" {
			reference += "@" + digest
		}
	}
	switch {
	case complete(reference) && (strings.Contains(base, "/") || !strings.Contains(base, ".")): // no registry alone
	case !c.certain: // the field may be about anything
		return
	default:
		if _, err := name.NewRepository(text(key)); err != nil {
			return
		}
		reference, why = "", ""
	}
	if why != "" {
		reference = ""
	}
	all := Composed{Reference: reference, Value: text(key), Why: why}
	w.add(yamlfile.Value(n, key), append(slices.Clone(path), key), all)
}

// inTexts reports whether the reference that a field has is one of [Object.Texts] that count.
func inTexts(c candidate) bool {
	base, _, _ := strings.Cut(c.base, ":")
	return isImage(c.key) || strings.Contains(c.base, "@") || hasHost(base) || !strings.Contains(base, "/")
}

func (w *composedWalk) add(n *yaml.Node, path []any, c Composed) {
	c.Pos = w.object.pos(n)
	c.Path = yamlfile.Path(w.object.Path, path...)
	if w.at != "" {
		c.Pos.Line, c.Pos.Column = w.lineOf(n.Line), 0
		c.Path = w.at + ": " + yamlfile.Path("", path...)
	}
	w.visit(c)
}

// lineOf returns the line in the file of one of the YAML that is read.
func (w *composedWalk) lineOf(line int) int {
	if w.quoted {
		return w.line
	}
	return w.line + line
}

// complete reports whether a text is a reference with a tag or a digest.
func complete(text string) bool {
	base, digest, pinned := strings.Cut(text, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		return false
	}
	if pinned {
		_, err = name.NewDigest(t.Context().Name() + "@" + digest)
	}
	return err == nil && (pinned || t.TagStr() != "")
}

// IsIncomplete reports whether a text of an object has neither tag nor digest, although its field
// is called image: the controller of a custom resource completes it, by what [Object.Composed]
// finds or by what only it knows.
func (o Object) IsIncomplete(text string) bool {
	_, err := name.NewRepository(text)
	return err == nil && text != "" && !isBuiltin(o.APIVersion) && !complete(text)
}
