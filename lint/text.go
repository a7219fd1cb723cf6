package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/workload"
)

// imageText is a string that has image references in it, or must be one because of its place.
type imageText struct {
	place
	value string
	refs  []string // in the value
	image bool     // the whole value must be a reference
	names []string // what the image is called: variables, keys of a ConfigMap, keys on the path
	ofPod bool     // a pod's image or a data value, whose references are checked elsewhere
}

// texts returns the texts that name images in all objects, those that are values of variables, and
// the data values of a product.
func (m *manifests) texts(k *known, variables []*imageText) (all []*imageText) {
	type id struct {
		object int
		path   string
	}
	index := map[id]*imageText{}
	for n, o := range m.objects {
		o.Texts(func(s workload.Text) {
			t := &imageText{place: place{n, s.Path(), s.Pos}, value: s.Value, refs: k.images.Mentions(s.Name, s.Value)}
			if k.release {
				t.refs = append(t.refs, k.images.ProductMentions(s.Value)...)
			}
			t.image = workload.IsImageField(o.APIVersion, o.Kind, s.Keys, s.Value) && !k.unresolved(o, s.Value)
			switch {
			case t.image && o.Kind == "ConfigMap":
				t.names = []string{o.Name, s.Name}
			case t.image:
				t.names = slices.Clone(s.Keys)
			case len(t.refs) == 0:
				return
			}
			index[id{n, t.path}] = t
			all = append(all, t)
		})
	}
	for _, p := range m.pods {
		for _, ref := range workload.References(p.spec) {
			if t := index[id{p.object, p.Path(ref.Path...)}]; t != nil {
				t.ofPod = true
			}
		}
	}
	for _, v := range variables {
		if t := index[id{v.object, v.path}]; t != nil {
			t.image, t.names = true, append(t.names, v.names...)
			continue
		}
		index[id{v.object, v.path}] = v
		all = append(all, v)
	}
	if k.release && !k.chart {
		all = append(all, valueTexts(k.Product, k.Values)...)
	}
	return all
}

// valueTexts returns the data values of a product. What may be wrong with one, but for its names,
// is found where a manifest uses it.
func valueTexts(p *product.Product, values map[string]any) (all []*imageText) {
	var walk func(v any, keys []string)
	walk = func(v any, keys []string) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(e, append(slices.Clone(keys), k))
			}
		case []any:
			for i, e := range v {
				walk(e, append(slices.Clone(keys), fmt.Sprintf("[%d]", i)))
			}
		case string:
			path := strings.ReplaceAll(strings.Join(keys, "."), ".[", "[")
			at := place{-1, "release.values." + path, p.Release.ValuePos[path]}
			all = append(all, &imageText{place: at, value: v, image: true, names: keys, ofPod: true})
		}
	}
	walk(values, nil)
	return all
}
