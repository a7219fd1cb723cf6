package forge

import (
	"bytes"
	"encoding/json"
)

// firstKeys returns JSON in which of equal keys only the first is left, as readers take it that
// look for a key from the start. It returns the text itself if that is not JSON.
func firstKeys(text []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var b bytes.Buffer
	if err := firstValue(d, &b); err != nil {
		return text
	}
	return b.Bytes()
}

func firstValue(d *json.Decoder, b *bytes.Buffer) error {
	t, err := d.Token()
	if err != nil {
		return err
	}
	switch t {
	case json.Delim('['):
		b.WriteByte('[')
		for n := 0; d.More(); n++ {
			if n > 0 {
				b.WriteByte(',')
			}
			if err := firstValue(d, b); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case json.Delim('{'):
		if err := firstObject(d, b); err != nil {
			return err
		}
	default:
		text, err := json.Marshal(t)
		if err != nil {
			return err
		}
		b.Write(text)
		return nil
	}
	_, err = d.Token()
	return err
}

func firstObject(d *json.Decoder, b *bytes.Buffer) error {
	b.WriteByte('{')
	seen := map[any]bool{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return err
		}
		var value bytes.Buffer
		if err := firstValue(d, &value); err != nil {
			return err
		}
		if seen[key] {
			continue
		}
		text, err := json.Marshal(key)
		if err != nil {
			return err
		}
		if len(seen) > 0 {
			b.WriteByte(',')
		}
		seen[key] = true
		b.Write(append(append(text, ':'), value.Bytes()...))
	}
	b.WriteByte('}')
	return nil
}
