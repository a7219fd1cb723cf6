package audit

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/lint"
)

const latest = "latest"

// twins resolves other tags than that of an image: its version with or without a v, and latest.
// At most two digests are requested.
func (r Reader) twins(ctx context.Context, ref name.Reference, page TagPage, i *lint.Index) error {
	tag, ok := ref.(name.Tag)
	if !ok {
		return nil
	}
	t := &lint.Tags{}
	i.Tags = t
	version := tag.TagStr()
	if other := twin(version); other != "" && page.Has(other) {
		h, err := r.memory.tags.digest(ctx, r.Client, tag.Context().Tag(other))
		if err != nil {
			return err
		}
		if h != i.Desc.Digest && h != (v1.Hash{}) {
			t.Twin, t.TwinDigest = other, h
		}
	}
	if version == latest {
		t.Latest = stamp(i)
		t.Newest = imagetag.Newest(t.Latest, page.Tags)
		if t.Newest == "" {
			t.Newest = imagetag.Newest(twin(t.Latest), page.Tags)
		}
		return nil
	}
	newest := imagetag.Newest(version, page.Tags)
	if newest == "" || !page.Has(latest) {
		return nil
	}
	h, err := r.memory.tags.digest(ctx, r.Client, tag.Context().Tag(latest))
	if h == i.Desc.Digest {
		t.Latest, t.Newest = version, newest
	}
	return err
}

// twin is the other way to write a full version: 1.2.3 for v1.2.3.
func twin(tag string) string {
	switch {
	case !imagetag.IsFull(tag):
		return ""
	case strings.HasPrefix(tag, "v"):
		return tag[1:]
	}
	return "v" + tag
}

// stamp is the version that an image says it has, in the annotations of its index or the labels of
// its configurations.
func stamp(i *lint.Index) string {
	var s imagetag.Stamp
	var document struct {
		Annotations map[string]string `json:"annotations"`
	}
	if json.Unmarshal(i.Raw, &document) == nil {
		s.Take(document.Annotations)
	}
	for _, e := range i.Entries {
		if e.Config != nil {
			s.Take(e.Config.Config.Labels)
		}
	}
	return s.Version
}
