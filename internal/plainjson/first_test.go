package plainjson_test

import (
	"bytes"
	"encoding/json"
	"testing"
)

// firstOf decodes JSON and takes the first of two keys, by their very case.
func firstOf(t *testing.T, text []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	v, err := next(d)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return v
}

func next(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.Token()
		return list, err
	case json.Delim('{'):
		object := map[string]any{}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := next(d)
			if err != nil {
				return nil, err
			}
			if _, twice := object[key.(string)]; !twice {
				object[key.(string)] = v
			}
		}
		_, err := d.Token()
		return object, err
	}
	return token, nil
}
