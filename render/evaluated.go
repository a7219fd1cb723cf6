package render

import (
	"errors"
	"fmt"

	"carvel.dev/ytt/pkg/filepos"
	"carvel.dev/ytt/pkg/yamlmeta"

	"github.com/slipway-dev/slipway/render/renderer"
)

// evaluated has the documents that ytt made in a form that [encoding/gob] can encode.
type evaluated struct {
	Warnings  []string
	Documents packed
	Files     []string // of positions

	indexes map[string]int
	values  int
}

// packed is a node of ytt, or a scalar, whose kind is 0.
type packed struct {
	Kind  byte
	Value renderer.Value // of a scalar; the key of an item of a map
	Items []packed       // what the node has
	// File is one more than an index of files, 0 without a position. Line is 0 if it is unknown.
	File, Line int
}

// maxValues bounds what ytt may make.
const maxValues = 1 << 20

var errTooMany = errors.New("they make more than a million values: make loops smaller")

// pack returns a node or scalar with all below it.
func (e *evaluated) pack(v any) (p packed, err error) {
	switch v := v.(type) {
	case *yamlmeta.DocumentSet:
		p.Kind = 's'
	case *yamlmeta.Document:
		p.Kind = 'd'
		v.Value = yamlmeta.NewASTFromInterfaceWithPosition(v.Value, v.Position)
	case *yamlmeta.Map:
		p.Kind = 'm'
	case *yamlmeta.MapItem:
		p.Kind = 'k'
		if p.Value, err = renderer.Pack(v.Key); err != nil {
			return p, fmt.Errorf("ytt made a key that is not YAML's: %w", err)
		}
	case *yamlmeta.Array:
		p.Kind = 'a'
	case *yamlmeta.ArrayItem:
		p.Kind = 'i'
	default:
		if p.Value, err = renderer.Pack(v); err != nil {
			return p, fmt.Errorf("ytt made something else than YAML: %w", err)
		}
	}
	if p.Kind == 'm' || p.Kind == 'a' || p.Kind == 0 {
		e.values++
	}
	if e.values > maxValues {
		return p, errTooMany
	}
	if node, ok := v.(yamlmeta.Node); ok {
		e.position(&p, node.GetPosition())
		for _, below := range node.GetValues() {
			item, err := e.pack(below)
			if err != nil {
				return p, err
			}
			p.Items = append(p.Items, item)
		}
	}
	return p, nil
}

func (e *evaluated) position(p *packed, at *filepos.Position) {
	if at == nil {
		return
	}
	n, ok := e.indexes[at.GetFile()]
	if !ok {
		n = len(e.Files)
		e.indexes[at.GetFile()] = n
		e.Files = append(e.Files, at.GetFile())
	}
	p.File = n + 1
	if at.IsKnown() {
		p.Line = at.LineNum()
	}
}

// unpack returns the value that was packed.
func (e evaluated) unpack(p packed) any {
	var at *filepos.Position
	switch {
	case p.Line > 0:
		at = filepos.NewPositionInFile(p.Line, e.Files[p.File-1])
	case p.File > 0:
		at = filepos.NewUnknownPositionInFile(e.Files[p.File-1])
	}
	var node yamlmeta.Node
	switch p.Kind {
	case 's':
		node = &yamlmeta.DocumentSet{Position: at}
	case 'd':
		return &yamlmeta.Document{Value: e.unpack(p.Items[0]), Position: at}
	case 'm':
		node = &yamlmeta.Map{Position: at}
	case 'k':
		return &yamlmeta.MapItem{Key: p.Value.Unpack(), Value: e.unpack(p.Items[0]), Position: at}
	case 'a':
		node = &yamlmeta.Array{Position: at}
	case 'i':
		return &yamlmeta.ArrayItem{Value: e.unpack(p.Items[0]), Position: at}
	default:
		return p.Value.Unpack()
	}
	for _, i := range p.Items {
		node.AddValue(e.unpack(i)) //nolint:errcheck // each has items of its own
	}
	return node
}
