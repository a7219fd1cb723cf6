package plainjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// walk goes through JSON that is valid and ends with its value. json.Decoder.Token would take ten
// times as long.
type walk struct {
	raw []byte
	at  int
}

// value checks the next value, which is decoded into t; t may be nil for any.
func (w *walk) value(t reflect.Type) error {
	switch w.next() {
	case '{':
		return w.object(shapeOf(t))
	case '[':
		element := shapeOf(t).element
		for w.at++; w.next() != ']'; w.skip(',') {
			if err := w.value(element); err != nil {
				return err
			}
		}
		w.at++
	case '"':
		w.text()
	default: // a number, or a name
		for w.at < len(w.raw) && bytes.IndexByte([]byte(",]} \t\r\n"), w.raw[w.at]) < 0 {
			w.at++
		}
	}
	return nil
}

func (w *walk) object(s shape) error {
	seen := map[string]bool{}
	for w.at++; w.next() != '}'; w.skip(',') {
		key := w.key()
		if seen[key] {
			return fmt.Errorf("the key %.100q is there twice, at byte %d", key, w.at)
		}
		seen[key] = true
		field, known := s.fields[key]
		if !known && len(s.folded) > 0 {
			if name, like := s.folded[fold(key)]; like {
				return fmt.Errorf("the key %.100q at byte %d differs from %q by case", key, w.at, name)
			}
		}
		if !known {
			field = s.element
		}
		w.skip(':')
		if err := w.value(field); err != nil {
			return err
		}
	}
	w.at++
	return nil
}

// next passes white space and returns the character behind it.
func (w *walk) next() byte {
	for bytes.IndexByte([]byte(" \t\r\n"), w.raw[w.at]) >= 0 {
		w.at++
	}
	return w.raw[w.at]
}

// skip passes white space and, if it is next, c.
func (w *walk) skip(c byte) {
	if w.next() == c {
		w.at++
	}
}

// key passes a key and returns what it says.
func (w *walk) key() string {
	quoted := w.text()
	text := string(quoted[1 : len(quoted)-1])
	if bytes.IndexByte(quoted, '\\') >= 0 {
		json.Unmarshal(quoted, &text) //nolint:errcheck // it is valid
	}
	return text
}

// text passes a string and returns it with its quotes.
func (w *walk) text() []byte {
	start := w.at
	for w.at++; w.raw[w.at] != '"'; w.at++ {
		if w.raw[w.at] == '\\' {
			w.at++
		}
	}
	w.at++
	return w.raw[start:w.at]
}
