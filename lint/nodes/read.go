package nodes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	kjson "sigs.k8s.io/json"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// maxFile bounds a file of nodes in bytes. 5000 nodes, the most that Kubernetes supports, take a
// few hundred MiB.
const maxFile = 1 << 30

// ReadFile reads nodes from a file; "-" is standard input.
func ReadFile(path string) ([]Node, error) {
	name, b, err := yamlfile.ReadInput(path, maxFile)
	if err != nil {
		return nil, fmt.Errorf("reading nodes: %w", err)
	}
	return Read(name, b)
}

// Read reads what "kubectl get nodes -o json" prints: a List or NodeList of nodes, or one node;
// file is its name for messages. Unknown fields are skipped, since a cluster may be newer;
// everything else that is not a Node is an error with its position.
func Read(file string, text []byte) ([]Node, error) {
	r := reader{file, text}
	if len(text) > maxFile {
		return nil, r.errorf(0, "the file has more than %d MiB: is it the right one?", maxFile>>20)
	}
	var head struct {
		APIVersion string            `json:"apiVersion"`
		Kind       string            `json:"kind"`
		Items      []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, r.json(0, err)
	}
	// Kubernetes distinguishes KIND from kind, encoding/json does not
	head.APIVersion, head.Kind, head.Items = "", "", nil
	switch strict, err := kjson.UnmarshalStrict(text, &head, kjson.DisallowDuplicateFields); {
	case err != nil:
		return nil, r.errorf(0, "%v", err)
	case len(strict) > 0:
		return nil, r.errorf(0, "%v: keep one", strict[0])
	case head.APIVersion == "v1" && head.Kind == "Node":
		n, err := r.node(0, text)
		if err != nil {
			return nil, err
		}
		return []Node{*n}, nil
	case head.APIVersion == "v1" && (head.Kind == "List" || head.Kind == "NodeList"):
		return r.list(head.Kind == "NodeList")
	}
	return nil, r.errorf(0, "apiVersion is %q and kind is %q, not v1 and NodeList or Node: "+
		"make the file with kubectl get nodes -o json", head.APIVersion, head.Kind)
}

type reader struct {
	file string
	text []byte
}

// list reads the items; those of a typed list need no kind.
func (r reader) list(typed bool) ([]Node, error) {
	dec := json.NewDecoder(bytes.NewReader(r.text))
	if err := items(dec); err != nil {
		return nil, r.json(0, err)
	}
	var list []Node
	first := map[string]int{}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, r.json(0, err)
		}
		at := int(dec.InputOffset()) - len(raw)
		n, err := r.item(at, raw, typed)
		if err != nil {
			return nil, err
		}
		if other, ok := first[n.Name]; ok {
			return nil, r.errorf(at, "node %s is listed twice, first on line %d: keep one", n.Name, r.line(other))
		}
		first[n.Name] = at
		list = append(list, *n)
	}
	return list, nil
}

// items advances to the first item.
func items(dec *json.Decoder) error {
	if _, err := dec.Token(); err != nil {
		return err
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return err
		}
		if key == "items" {
			_, err := dec.Token()
			return err
		}
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			return err
		}
	}
	return nil
}

func (r reader) item(at int, raw []byte, typed bool) (*Node, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, r.json(at, err)
	}
	untyped := typed && head.APIVersion == "" && head.Kind == ""
	if !untyped && (head.APIVersion != "v1" || head.Kind != "Node") {
		return nil, r.errorf(at, "apiVersion is %q and kind is %q, not v1 and Node: "+
			"make the file with kubectl get nodes -o json", head.APIVersion, head.Kind)
	}
	return r.node(at, raw)
}

func (r reader) node(at int, raw []byte) (*Node, error) {
	var o corev1.Node
	strict, err := kjson.UnmarshalStrict(raw, &o, kjson.DisallowDuplicateFields)
	if err != nil {
		var again corev1.Node
		if err := json.Unmarshal(raw, &again); err != nil {
			return nil, r.json(at, err) // the error of this decoder has an offset
		}
		return nil, r.errorf(at, "%v", err)
	}
	if len(strict) > 0 {
		return nil, r.errorf(at, "%v: keep one", strict[0])
	}
	if o.Name == "" {
		return nil, r.errorf(at, "the node has no metadata.name")
	}
	for _, t := range o.Spec.Taints {
		switch t.Effect {
		case corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute:
		default:
			return nil, r.errorf(at, "node %s: unknown effect %q of taint %s: "+
				"Kubernetes has NoSchedule, PreferNoSchedule and NoExecute", o.Name, t.Effect, t.Key)
		}
	}
	n := newNode(&o)
	return &n, nil
}

// json adds the position to an error of a decoder that read the text from at.
func (r reader) json(at int, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		return r.errorf(at+int(syntax.Offset)-1, "this is not JSON (%v): make the file with kubectl get nodes -o json",
			syntax)
	case errors.As(err, &kind):
		return r.errorf(at+int(kind.Offset)-1, "%s: a node has another type than %s there", kind.Field, kind.Value)
	}
	return r.errorf(at, "this is not a list of nodes (%v): make the file with kubectl get nodes -o json", err)
}

// errorf writes an error at an offset.
func (r reader) errorf(offset int, format string, args ...any) error {
	offset = max(0, min(offset, len(r.text)))
	column := 1 + len([]rune(string(r.text[1+bytes.LastIndexByte(r.text[:offset], '\n'):offset])))
	return fmt.Errorf("%s:%d:%d: %s", r.file, r.line(offset), column, fmt.Sprintf(format, args...))
}

func (r reader) line(offset int) int { return 1 + bytes.Count(r.text[:offset], []byte("\n")) }
