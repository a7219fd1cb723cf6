package render

import (
	"errors"
	"fmt"

	"carvel.dev/ytt/pkg/filepos"
	"carvel.dev/ytt/pkg/yamlmeta"

	"github.com/slipway-dev/slipway/internal/renderer"
)

// evaluated has the documents that ytt made in a form that [encoding/gob] can encode.
type evaluated struct {
	Warnings  []string
	Documents []packed
	Files     []string // of positions

	indexes map[string]int
	values  int
}

// packed is a document, a map, an array, an item of one of these, or a scalar.
type packed struct {
	Kind  byte
	Key   renderer.Value // of an item of a map
	Value renderer.Value // of a scalar
	Items []packed       // those of a map or array; the value of a document or item
	// File is one more than an index of files, 0 without a position. Line is 0 if it is unknown.
	File, Line int
}

// maxValues bounds what ytt may make.
const maxValues = 1 << 20

var errTooMany = errors.New("they make more than a million values: make loops smaller")

func (e *evaluated) pack(set *yamlmeta.DocumentSet) error {
	e.indexes = map[string]int{}
	for _, d := range set.Items {
		one, err := e.node(yamlmeta.NewASTFromInterfaceWithPosition(d.Value, d.Position))
		if err != nil {
			return err
		}
		made := packed{Kind: 'd', Items: []packed{one}}
		e.position(&made, d.Position)
		e.Documents = append(e.Documents, made)
	}
	return nil
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

func (e *evaluated) node(v any) (p packed, err error) {
	if e.values++; e.values > maxValues {
		return p, errTooMany
	}
	switch v := v.(type) {
	case *yamlmeta.Map:
		p.Kind = 'm'
		e.position(&p, v.Position)
		for _, i := range v.Items {
			if err := e.item(&p, i.Key, i.Value, i.Position); err != nil {
				return p, err
			}
		}
	case *yamlmeta.Array:
		p.Kind = 'a'
		e.position(&p, v.Position)
		for _, i := range v.Items {
			if err := e.item(&p, nil, i.Value, i.Position); err != nil {
				return p, err
			}
		}
	default:
		if p.Value, err = renderer.Pack(v); err != nil {
			return p, fmt.Errorf("ytt made something else than YAML: %w", err)
		}
	}
	return p, nil
}

func (e *evaluated) item(p *packed, key, value any, at *filepos.Position) error {
	one, err := e.node(value)
	if err != nil {
		return err
	}
	item := packed{Kind: 'i', Items: []packed{one}}
	if item.Key, err = renderer.Pack(key); err != nil {
		return fmt.Errorf("ytt made a key that is not YAML's: %w", err)
	}
	e.position(&item, at)
	p.Items = append(p.Items, item)
	return nil
}

// set returns the documents as ytt made them.
func (e evaluated) set() *yamlmeta.DocumentSet {
	set := &yamlmeta.DocumentSet{}
	for _, d := range e.Documents {
		set.Items = append(set.Items, &yamlmeta.Document{Value: e.value(d.Items[0]), Position: e.at(d)})
	}
	return set
}

func (e evaluated) at(p packed) *filepos.Position {
	switch {
	case p.File == 0:
		return nil
	case p.Line == 0:
		return filepos.NewUnknownPositionInFile(e.Files[p.File-1])
	}
	return filepos.NewPositionInFile(p.Line, e.Files[p.File-1])
}

func (e evaluated) value(p packed) any {
	switch p.Kind {
	case 'm':
		m := &yamlmeta.Map{Position: e.at(p)}
		for _, i := range p.Items {
			m.Items = append(m.Items, &yamlmeta.MapItem{Key: i.Key.Unpack(), Value: e.value(i.Items[0]), Position: e.at(i)})
		}
		return m
	case 'a':
		a := &yamlmeta.Array{Position: e.at(p)}
		for _, i := range p.Items {
			a.Items = append(a.Items, &yamlmeta.ArrayItem{Value: e.value(i.Items[0]), Position: e.at(i)})
		}
		return a
	}
	return p.Value.Unpack()
}
