package product

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	page "github.com/slipway-dev/slipway/internal/testing/golden"
)

// referenceFile is the page about every key. This test generates it from the types, their comments
// and the examples in testdata/reference.
const referenceFile = "../docs/reference.md"

const referenceHead = `# Reference

Every key of ` + "`slipway.yaml`, `bases.lock.yaml`, `images.lock.yaml` and `packages.lock.yaml`" + `, and the form of ` + "`images.txt`" + `. The page is generated from the types and comments in
` + "`product/`" + `, from which [the schema](../product/slipway.schema.json) for editors is generated, too; ` + "`go test ./product -update`" + ` writes it anew.

Paths are relative to ` + "`slipway.yaml`" + ` and have slashes. A string that another reader of YAML takes for a number or a boolean needs quotes: ` + "`\"1.10\"`" + `.
Unknown keys are errors. [Own words](glossary.md) are in the glossary.
`

const imageListReference = `
## images.txt

The file that ` + "`airgap.images`" + ` names: what bundles include besides [what manifests name](bundles.md#what-a-bundle-includes), one reference in each
line. Blank lines are skipped, and so is what follows a ` + "`#`" + ` at the beginning of a line or after a space. A reference without a digest is packed as the tag refers to it on that day; [slipway pin](pins.md) adds the
digest. An image without a host is one of Docker Hub.

| form | meaning |
|---|---|
| ` + "`repository:tag@sha256:…`" + ` | the image with this digest; manifests that name the tag get the digest, and ` + "`slipway pin -update`" + ` renews it |
| ` + "`repository:tag`" + ` | what the tag refers to during the release |
| ` + "`repository@sha256:…`" + ` | the image with this digest |
| ` + "`!repository`" + `, ` + "`!repository:tag`" + ` | removes images that manifests name, and texts in them that only look like references; ` + "`*`" + ` replaces any text but a slash. A line that removes nothing is an error. |

`

func TestReference(t *testing.T) {
	r := reference{t: t, comments: comments(t)}
	r.WriteString(referenceHead)
	r.file(reflect.TypeFor[productYAML](), File, "testdata/reference/slipway.yaml")
	r.file(reflect.TypeFor[basesLockYAML](), BasesLock, "testdata/reference/bases.lock.yaml")
	r.file(reflect.TypeFor[imagesLockYAML](), ImagesLock, "testdata/reference/images.lock.yaml")
	list, err := os.ReadFile("testdata/reference/images.txt")
	if err != nil {
		t.Fatal(err)
	}
	r.WriteString(imageListReference + "```\n" + string(list) + "```\n")
	page.Compare(t, *update, referenceFile, r.String())
}

// reference is the page as far as it is written.
type reference struct {
	bytes.Buffer

	t        *testing.T
	comments map[string]string
}

// file writes the sections of a file: of the file itself, then of each object in it.
func (r *reference) file(typ reflect.Type, name, example string) {
	text, err := os.ReadFile(example)
	if err != nil {
		r.t.Fatal(err)
	}
	v := reflect.New(typ)
	if d := decode(example, text, v.Interface()); len(d.Errors) > 0 {
		r.t.Fatal(d.Err())
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		r.t.Fatal(err)
	}
	r.section(typ, name, "", doc.Content)
}

// section writes the section of an object. path is that of the object in the file, "" for the file;
// examples are all objects of this kind in the example.
func (r *reference) section(typ reflect.Type, file, path string, examples []*yaml.Node) {
	level := "##"
	if path != "" {
		level = "###"
	}
	fmt.Fprintf(r, "\n%s %s\n\n", level, title(file, path))
	if about := r.comments[typ.Name()+"."]; about != "" {
		fmt.Fprintf(r, "%s\n\n", escape(about))
	}
	if groups := groups(typ); len(groups) > 1 {
		fmt.Fprintf(r, "Give exactly one of %s.\n\n", strings.Join(groups, ", "))
	}
	r.WriteString("| key | type | required | default | description |\n|---|---|---|---|---|\n")
	for i := range typ.NumField() {
		f := typ.Field(i)
		fmt.Fprintf(r, "| `%s` | %s | %s | %s | %s |\n", key(f), kind(f, file, path), need(f), defaults(f),
			escape(r.comments[typ.Name()+"."+f.Name]))
	}
	r.example(typ, path, examples)
	for i := range typ.NumField() {
		f := typ.Field(i)
		at, of := below(path, f)
		if of == nil {
			continue
		}
		var found []*yaml.Node
		for _, e := range examples {
			found = append(found, values(e, key(f))...)
		}
		r.section(of, file, at, found)
	}
}

// example writes the example of a section with the most keys, without the objects in it that have
// sections of their own.
func (r *reference) example(typ reflect.Type, path string, examples []*yaml.Node) {
	var best *yaml.Node
	for _, e := range examples {
		if best == nil || len(e.Content) > len(best.Content) {
			best = e
		}
	}
	if best == nil {
		return
	}
	shown := &yaml.Node{Kind: yaml.MappingNode}
	for i := 0; i+1 < len(best.Content); i += 2 {
		nested := false
		for n := range typ.NumField() {
			_, of := below(path, typ.Field(n))
			nested = nested || of != nil && key(typ.Field(n)) == best.Content[i].Value
		}
		if !nested {
			shown.Content = append(shown.Content, best.Content[i], best.Content[i+1])
		}
	}
	if len(shown.Content) == 0 {
		return
	}
	parts := strings.Split(path, ".")
	if last := parts[len(parts)-1]; path != "" {
		name, isList := strings.CutSuffix(last, "[]")
		if isList {
			shown = &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{shown}}
		}
		shown = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: name}, shown}}
	}
	r.WriteString("\n```yaml\n")
	enc := yaml.NewEncoder(r)
	enc.SetIndent(2)
	if err := enc.Encode(shown); err != nil {
		r.t.Fatal(err)
	}
	r.WriteString("```\n")
}

// values returns the objects below a key: the value, or the items of a list.
func values(n *yaml.Node, name string) []*yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch v := n.Content[i+1]; {
		case n.Content[i].Value != name:
		case v.Kind == yaml.SequenceNode:
			return v.Content
		default:
			return []*yaml.Node{v}
		}
	}
	return nil
}

// key returns the name of a field in YAML.
func key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// below returns path and type of the objects in a field; nil if it has none.
func below(path string, f reflect.StructField) (at string, of reflect.Type) {
	if at = key(f); path != "" {
		at = path + "." + at
	}
	of = f.Type
	switch of.Kind() {
	case reflect.Slice:
		at, of = at+"[]", of.Elem()
	case reflect.Pointer:
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct {
		return "", nil
	}
	return at, of
}

// title is the heading of a section.
func title(file, path string) string {
	switch {
	case path == "":
		return file
	case file == File:
		return "`" + path + "`"
	}
	return "`" + path + "` of " + file
}

// kind writes the type of a field, with a link if it has a section.
func kind(f reflect.StructField, file, path string) string {
	if enum := keyword(f, "enum"); len(enum) > 0 {
		text := "`" + strings.Join(enum, "`, `") + "`"
		if f.Type.Kind() == reflect.Slice {
			return "list of " + text
		}
		return text
	}
	at, of := below(path, f)
	what := "object"
	if of != nil {
		what = fmt.Sprintf("[object](#%s)", anchor(title(file, at)))
	}
	switch t := f.Type; {
	case of != nil && t.Kind() == reflect.Slice:
		return "list of " + strings.Replace(what, "object", "objects", 1)
	case of != nil:
		return what
	case t.Kind() == reflect.Slice:
		return "list of " + t.Elem().Kind().String() + "s"
	case t.Kind() == reflect.Map && t.Elem().Kind() == reflect.Interface:
		return "map of any values"
	case t.Kind() == reflect.Map:
		return "map of " + t.Elem().Kind().String() + "s"
	default:
		return t.Kind().String()
	}
}

// anchor is the anchor of a heading on GitHub.
func anchor(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9_ -]`).ReplaceAllString(strings.ToLower(heading), ""),
		" ", "-")
}

// need writes whether a field is required.
func need(f reflect.StructField) string {
	switch group := keyword(f, "oneof_required"); {
	case len(group) > 0 && group[0] != key(f):
		return "with `" + group[0] + "`"
	case len(group) > 0:
		return "one of"
	}
	for _, word := range strings.Split(f.Tag.Get("jsonschema"), ",") {
		if word == "required" {
			return "yes"
		}
	}
	return ""
}

// groups lists the fields of which an object has exactly one.
func groups(typ reflect.Type) (all []string) {
	for i := range typ.NumField() {
		if need(typ.Field(i)) == "one of" {
			all = append(all, "`"+key(typ.Field(i))+"`")
		}
	}
	return all
}

func defaults(f reflect.StructField) string {
	if d := keyword(f, "default"); len(d) > 0 {
		return "`" + strings.Join(d, "`, `") + "`"
	}
	return ""
}

// keyword returns the values of a keyword of a field's schema.
func keyword(f reflect.StructField, name string) (all []string) {
	for _, word := range strings.Split(f.Tag.Get("jsonschema"), ",") {
		if value, ok := strings.CutPrefix(word, name+"="); ok {
			all = append(all, value)
		}
	}
	return all
}

// escape writes a comment so that Markdown shows it as it is.
func escape(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "<", `\<`).Replace(text)
}
