package renderer

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Value is a value of YAML or JSON that [encoding/gob] can encode: unlike any, it may be nil, and
// an empty list stays one.
type Value struct {
	Kind   byte
	Text   string
	Int    int64
	Uint   uint64
	Float  float64
	Time   time.Time
	Keys   []string // sorted
	Values []Value
}

// Pack returns a value that a decoder of YAML or JSON made.
func Pack(v any) (Value, error) {
	switch v := v.(type) {
	case nil:
		return Value{Kind: 0}, nil
	case string:
		return Value{Kind: 's', Text: v}, nil
	case int:
		return Value{Kind: 'i', Int: int64(v)}, nil
	case int64:
		return Value{Kind: 'l', Int: v}, nil
	case uint64:
		return Value{Kind: 'u', Uint: v}, nil
	case float64:
		return Value{Kind: 'f', Float: v}, nil
	case bool:
		if v {
			return Value{Kind: 't'}, nil
		}
		return Value{Kind: 'n'}, nil
	case time.Time:
		return Value{Kind: 'd', Time: v}, nil
	case []any:
		out := Value{Kind: 'a'}
		for _, one := range v {
			packed, err := Pack(one)
			if err != nil {
				return out, err
			}
			out.Values = append(out.Values, packed)
		}
		return out, nil
	case map[string]any:
		out := Value{Kind: 'm'}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			packed, err := Pack(v[k])
			if err != nil {
				return out, err
			}
			out.Keys, out.Values = append(out.Keys, k), append(out.Values, packed)
		}
		return out, nil
	}
	return Value{}, fmt.Errorf("a value has the type %T", v)
}

// Unpack returns the value that was packed.
func (v Value) Unpack() any {
	switch v.Kind {
	case 's':
		return v.Text
	case 'i':
		return int(v.Int)
	case 'l':
		return v.Int
	case 'u':
		return v.Uint
	case 'f':
		return v.Float
	case 't', 'n':
		return v.Kind == 't'
	case 'd':
		return v.Time
	case 'a':
		list := make([]any, 0, len(v.Values))
		for _, one := range v.Values {
			list = append(list, one.Unpack())
		}
		return list
	case 'm':
		m := make(map[string]any, len(v.Values))
		for i, one := range v.Values {
			m[v.Keys[i]] = one.Unpack()
		}
		return m
	}
	return nil
}
