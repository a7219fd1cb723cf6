package renaming

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"go.yaml.in/yaml/v3"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/render/chart"
)

// Chart is a Helm chart with new names for the images in its values.
type Chart struct {
	Tree    *oci.Tree // its manifest: that of the original if no name is new
	File    string    // what Helm calls the archive
	Archive []byte
	Blobs   map[v1.Hash][]byte // of Tree; none if no name is new

	References int // how many were renamed
	// Untouched are the places in templates that still make a reference to one of the images by its
	// old name.
	Untouched []string
}

// maxChart bounds the archive of a chart in bytes; a longer one is damaged to its reader.
const maxChart = 64 << 20

// Archive returns the packaged chart of the manifest t, whose blobs open opens.
func Archive(open func(v1.Hash) (io.ReadCloser, error), t *oci.Tree) ([]byte, error) {
	if len(t.Layers) == 0 {
		return nil, fmt.Errorf("%s is not a chart: its manifest has no layer", t.Desc.Digest)
	}
	r, err := open(t.Layers[0].Digest)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxChart))
}

// Chart renames the images in the values of a packaged chart, which has the manifest t and the name
// original. Comments, order and formatting of the values stay. The new chart names the original by
// an annotation, and its time is that of t, or else created.
func (n *Names) Chart(ctx context.Context, archive []byte, t *oci.Tree, original string,
	created time.Time,
) (*Chart, error) {
	old, err := chart.Read(original, bytes.NewReader(archive))
	if err != nil {
		return nil, err
	}
	r := &Chart{}
	renamed, err := old.EditValues(func(name string, text []byte) ([]byte, error) {
		out, references, err := n.values(name, text)
		r.References += references
		return out, err
	})
	if err != nil {
		return nil, err
	}
	if made, err := time.Parse(time.RFC3339, t.Annotations["org.opencontainers.image.created"]); err == nil {
		created = made
	}
	// Pin images that templates make of other values, in a way that only they know.
	pinned, err := renamed.Pin(ctx, chart.PinOptions{Find: n.image})
	if err == nil {
		r.References += len(n.rendered(ctx, renamed)) - len(n.rendered(ctx, pinned))
		renamed = pinned
	}
	if len(renamed.Listed()) > 0 {
		if listed, err := renamed.WithListed(nil, n.renamed); err == nil {
			renamed = listed // otherwise it is not a list, and stays
		}
	}
	r.Untouched = n.rendered(ctx, renamed)
	a, err := renamed.Artifact(created, map[string]string{chart.OriginalKey: original})
	if err != nil {
		return nil, err
	}
	if r.File = a.FileName(); r.References == 0 {
		r.Tree, r.Archive = t, archive
		return r, nil
	}
	r.Archive, r.Blobs = a.Archive, map[v1.Hash][]byte{}
	var last v1.Descriptor
	for _, b := range a.Blobs() {
		last.Digest, last.Size, _ = v1.SHA256(bytes.NewReader(b)) // memory does not fail
		r.Blobs[last.Digest] = b
	}
	r.Tree, err = oci.Parse(last, a.Manifest)
	return r, err
}

// Opener returns a function that opens the blobs of charts, and with another one all other blobs.
func Opener(charts []*Chart, other func(v1.Hash) (io.ReadCloser, error)) func(v1.Hash) (io.ReadCloser, error) {
	return func(h v1.Hash) (io.ReadCloser, error) {
		for _, c := range charts {
			if b, ok := c.Blobs[h]; ok {
				return io.NopCloser(bytes.NewReader(b)), nil
			}
		}
		return other(h)
	}
}

// image returns an image by its new name; nil for one that is not renamed, or has the name
// already.
func (n *Names) image(reference string) *chart.Image {
	base, digest, _ := strings.Cut(reference, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		return nil
	}
	r := n.repos[t.Context().Name()]
	if h, err := v1.NewHash(digest); r == nil || err != nil || !r.digests[h] {
		return nil
	}
	return &chart.Image{Repository: r.to, Tag: t.TagStr(), Digest: digest}
}

// renamed returns an image by its new name; by its present name if it is not renamed.
func (n *Names) renamed(of string) string {
	if i := n.image(of); i != nil {
		return i.Reference()
	}
	return of
}

// rendered returns the places in templates that refer to an image by its old name, with the default
// values.
func (n *Names) rendered(ctx context.Context, c *chart.Chart) []string {
	objects, err := c.Render(ctx, chart.Options{})
	if err != nil {
		return []string{err.Error()}
	}
	var all []string
	for _, o := range objects {
		for k, line := range strings.Split(string(o.Text), "\n") {
			if have := n.within(line); have != "" {
				all = append(all, fmt.Sprintf("%s: text with %s in it", o.Origin(k+1), have))
			}
		}
	}
	return all
}

// values renames images in a values.yaml: references, repositories alone, and a registry next to
// the rest of a repository.
func (n *Names) values(name string, src []byte) (out []byte, references int, err error) {
	e, err := yamlfile.Edit(name, src)
	if err != nil {
		return nil, 0, err
	}
	apart := map[yamlfile.Pos]string{}
	for _, d := range e.Documents {
		n.apart(name, d, apart)
	}
	var errs yamlfile.Errors
	for at, s := range e.Scalars {
		text := strings.TrimSpace(s.Value)
		to, ok := apart[s.Pos]
		switch {
		case ok:
		case !s.String || text != s.Value && !s.Block:
			continue
		case n.repos[text] != nil:
			to = n.repos[text].to
		default:
			ref, err := n.reference(text, false)
			if err != nil {
				errs.At(s.Pos, "%s", err)
			}
			if err != nil || ref == nil {
				continue
			}
			to = ref.text
		}
		if to == text {
			continue
		}
		references++
		var one *yamlfile.Error
		if err := e.Replace(at, text, to); errors.As(err, &one) {
			errs = append(errs, one)
		} else if err != nil {
			return nil, 0, err
		}
	}
	if err := errs.Err(); err != nil {
		return nil, 0, err
	}
	out, err = e.Bytes()
	return out, references, err
}

// apart finds mappings that have the registry of a repository in one field, and the rest in
// another, and adds both with their new values, by their places.
func (n *Names) apart(name string, node *yaml.Node, all map[yamlfile.Pos]string) {
	for _, c := range node.Content {
		n.apart(name, c, all)
	}
	if node.Kind != yaml.MappingNode {
		return
	}
	_, registry := yamlfile.Field(node, "registry")
	if registry == nil || registry.Kind != yaml.ScalarNode {
		return
	}
	for _, field := range []string{"repository", "image", "name"} {
		_, rest := yamlfile.Field(node, field)
		if rest == nil || rest.Kind != yaml.ScalarNode {
			continue
		}
		r := n.repos[registry.Value+"/"+rest.Value]
		if r == nil {
			continue
		}
		// The registry may have a path; the part behind it stays, if possible.
		to, path := strings.TrimSuffix(r.to, "/"+rest.Value), rest.Value
		if to == r.to {
			to, path, _ = strings.Cut(r.to, "/")
		}
		all[yamlfile.Pos{File: name, Line: registry.Line, Column: registry.Column}] = to
		all[yamlfile.Pos{File: name, Line: rest.Line, Column: rest.Column}] = path
	}
}
