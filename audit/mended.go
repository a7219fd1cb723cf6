package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lint"
)

// write makes the document. Of an entry with another platform all else stays as it is, whatever it
// has, and so does an entry that has not changed.
func (m *Mended) write(i lint.Index) error {
	if len(m.Changes) == 0 {
		m.Desc, m.Raw = i.Desc, i.Raw
		return nil
	}
	document := map[string]json.RawMessage{}
	if err := json.Unmarshal(i.Raw, &document); err != nil {
		return err
	}
	var before []json.RawMessage
	if err := json.Unmarshal(document["manifests"], &before); err != nil {
		return err
	}
	kept := []json.RawMessage{}
	for _, e := range i.Entries {
		text, rest, err := asBefore(before, e.Desc)
		if err != nil {
			return err
		}
		kept, before = append(kept, text), rest
	}
	list, err := json.Marshal(kept)
	if err != nil {
		return err
	}
	document["manifests"] = list
	if m.Raw, err = json.MarshalIndent(document, "", "  "); err != nil {
		return err
	}
	h, size, err := v1.SHA256(bytes.NewReader(m.Raw))
	m.Desc = v1.Descriptor{MediaType: i.Desc.MediaType, Digest: h, Size: size}
	if err == nil {
		_, err = oci.Parse(m.Desc, m.Raw)
	}
	return err
}

// asBefore returns the text of an entry, which it takes out of those that the document had, with
// the platform that it has now.
func asBefore(before []json.RawMessage, now v1.Descriptor) (text json.RawMessage, rest []json.RawMessage, err error) {
	for n, raw := range before {
		var d v1.Descriptor
		if err := json.Unmarshal(raw, &d); err != nil {
			return nil, nil, err
		}
		if d.Digest != now.Digest {
			continue
		}
		rest = slices.Concat(before[:n], before[n+1:])
		if d.Platform == nil && now.Platform == nil || equal(d.Platform, now.Platform) {
			return raw, rest, nil
		}
		fields := map[string]json.RawMessage{}
		if err := json.Unmarshal(raw, &fields); err != nil {
			return nil, nil, err
		}
		if fields["platform"], err = json.Marshal(now.Platform); err != nil {
			return nil, nil, err
		}
		text, err = json.Marshal(fields)
		return text, rest, err
	}
	return nil, nil, fmt.Errorf("the index does not list %s", now.Digest)
}
