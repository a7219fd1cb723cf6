package pin

import (
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/render/workload"
)

// yaml takes the references of a YAML file: a manifest, a template of ytt, or slipway.yaml, of
// which only release, airgap.firstImage and prebuilt images may have any.
func (s *search) yaml(shown, full string, slipway bool) error {
	if slices.ContainsFunc(s.files, func(f *file) bool { return f.full == full }) {
		return nil
	}
	f := &file{path: shown, full: full}
	if err := s.read(f); err != nil {
		return err
	}
	if !s.errs.CheckText(shown, f.src, workload.MaxFile) {
		return nil
	}
	e, err := yamlfile.Edit(shown, f.src)
	if err != nil {
		return err
	}
	for _, root := range e.Documents {
		if slipway {
			s.firstImage(f, yamlfile.Value(root, "airgap", "firstImage"))
			s.prebuilt(f, yamlfile.Value(root, "images"))
			root = yamlfile.Value(root, "release")
		}
		if root == nil {
			continue
		}
		o := workload.Object{
			File: shown, Node: root, APIVersion: yamlfile.Text(root, "apiVersion"),
			Kind: yamlfile.Text(root, "kind"),
		}
		if o.Kind == "Secret" {
			continue // its values are encoded
		}
		o.Texts(func(t workload.Text) { s.text(f, o, t) })
	}
	return nil
}

// prebuilt takes the references of prebuilt images.
func (s *search) prebuilt(f *file, images *yaml.Node) {
	if images == nil {
		return
	}
	for _, i := range images.Content {
		all := yamlfile.Value(i, "prebuilt")
		if all == nil || all.Kind != yaml.MappingNode {
			continue
		}
		for n := 1; n < len(all.Content); n += 2 {
			v := all.Content[n]
			p := newPlace(v.Value, yamlfile.Pos{File: f.path, Line: v.Line, Column: v.Column})
			if p != nil && !product.IsImageFile(v.Value) {
				p.file = f
				s.places = append(s.places, p)
			}
		}
	}
}

// firstImage takes the reference of airgap.firstImage, which has to stay equal to a line of
// images.txt.
func (s *search) firstImage(f *file, n *yaml.Node) {
	if n == nil {
		return
	}
	p := newPlace(n.Value, yamlfile.Pos{File: f.path, Line: n.Line, Column: n.Column})
	if p != nil &&
		slices.ContainsFunc(s.places, func(l *place) bool { return withoutDigest(l.text) == withoutDigest(p.text) }) {
		p.file, p.tagOnly = f, true
		s.places = append(s.places, p)
	}
}

// text takes a text of a manifest that is a reference as a whole: one that has a digest, whose
// place only an image can have, or that lint takes for a reference.
func (s *search) text(f *file, o workload.Object, t workload.Text) {
	value := strings.TrimSpace(t.Value)
	if slices.Contains(t.Keys, "metadata") {
		return // labels and annotations are for people and tools
	}
	image := workload.IsImageField(o.APIVersion, o.Kind, t.Keys, value)
	if !image && s.product.Airgap.Removes(value) {
		return // it only looks like a reference
	}
	if !image && !slices.Equal(lock.Catalog(nil).Mentions(t.Name, value), []string{value}) {
		return
	}
	p := newPlace(value, t.Pos)
	if p == nil {
		r, err := name.NewRepository(value)
		if image && !o.IsIncomplete(value) && value != "" && !strings.Contains(value, "://") && err == nil &&
			!s.product.Owns(r) && !s.product.Maps(value) {
			s.kept = append(s.kept,
				Kept{t.Pos.String(), value, "it has neither tag nor digest: write the tag that is meant"})
		}
		return
	}
	if !s.product.Owns(p.tag.Context()) && !s.product.Maps(withoutDigest(value)) {
		p.file = f
		s.places = append(s.places, p)
	}
}
