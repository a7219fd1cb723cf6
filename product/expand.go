package product

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// Expand fills the fields of info into a template: {{.Version}}, {{.Revision}}, {{.Created}},
// {{.SourceVersion}}. Of text/template it knows if and else, slice and comparisons, as in {{slice
// .Revision 0 7}}, but nothing that could loop or grow.
func Expand(text string, info BuildInfo) (string, error) { return expand(text, info, buildFields, nil) }

// ExpandImages is [Expand] for release.values and release.env: {{image "NAME"}} is what image
// returns, repository@digest.
func ExpandImages(text string, info BuildInfo, image func(name string) (string, error)) (string, error) {
	return expand(text, info, buildFields, image)
}

var (
	// buildFields are those of BuildInfo; a release has many sources, and so only the version.
	buildFields   = []string{"Version", "Revision", "Created", "SourceVersion"}
	releaseFields = []string{"Version"}
)

// sampleDigest replaces digests that are not known yet.
var sampleDigest = strings.Repeat("0", 64)

func expand(text string, data any, fields []string, image func(string) (string, error)) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	tree := parse.New("")
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(text, "", "", map[string]*parse.Tree{}); err != nil {
		return "", fmt.Errorf("template %q: %s: check its braces and quotes", text, reasonOf(err))
	}
	w := walker{fields: fields, functions: []string{"slice", "eq", "ne", "and", "or", "not"}}
	if image != nil {
		w.functions = append(w.functions, "image")
	}
	if w.nodes(tree.Root); w.err != "" {
		return "", fmt.Errorf("template %q: %s", text, w.err)
	}
	t, err := template.New("").Funcs(template.FuncMap{"image": image}).Parse(text)
	if err != nil {
		return "", fmt.Errorf("template %q: %s: check it", text, reasonOf(err))
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		if known := errorText(""); errors.As(err, &known) {
			return "", known
		}
		return "", fmt.Errorf("template %q: %s: correct it", text, reasonOf(err))
	}
	return b.String(), nil
}

var templatePrefix = lazyregexp.New(
	`^template: [^ ]*:\d+(:\d+)?: (executing "" at <.*>: )?(error calling [a-z]+: )?`)

// reasonOf returns the message of text/template without its position.
func reasonOf(err error) string { return templatePrefix.ReplaceAllString(err.Error(), "") }

// walker looks for unknown names in a template, also in branches that are not taken.
type walker struct {
	fields, functions []string
	err               string
}

func (w *walker) refuse(format string, args ...any) {
	if w.err == "" {
		w.err = fmt.Sprintf(format, args...)
	}
}

func (w *walker) nodes(l *parse.ListNode) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.TextNode, *parse.CommentNode:
		case *parse.ActionNode:
			w.pipe(n.Pipe)
		case *parse.IfNode:
			w.pipe(n.Pipe)
			w.nodes(n.List)
			w.nodes(n.ElseList)
		default:
			w.refuse("%s is not available: use values, if and else", strings.TrimSpace(n.String()))
		}
	}
}

func (w *walker) pipe(p *parse.PipeNode) {
	if len(p.Decl) > 0 {
		w.refuse("variables are not available: write the value where it is used")
	}
	for _, c := range p.Cmds {
		for _, a := range c.Args {
			w.argument(a)
		}
	}
}

func (w *walker) argument(n parse.Node) {
	switch n := n.(type) {
	case *parse.PipeNode:
		w.pipe(n)
	case *parse.FieldNode:
		if len(n.Ident) > 1 || !slices.Contains(w.fields, n.Ident[0]) {
			w.refuse("unknown field %s: use .%s", n, strings.Join(w.fields, ", ."))
		}
	case *parse.IdentifierNode:
		if !slices.Contains(w.functions, n.Ident) {
			w.refuse("unknown function %s: use %s", n, strings.Join(w.functions, ", "))
		}
	case *parse.StringNode, *parse.NumberNode, *parse.BoolNode:
	default:
		w.refuse("%s is not available: use .%s", n, strings.Join(w.fields, ", ."))
	}
}
