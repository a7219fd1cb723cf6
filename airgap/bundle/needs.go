package bundle

import (
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/progress"
)

// Needs is what a sparse bundle lacks: layers of its images that the bundle of another group has,
// which a node has besides. All documents of the images are in the sparse one.
type Needs struct {
	Bundle  string    `json:"bundle"`  // the file that completes it, of the same release
	Groups  []string  `json:"groups"`  // of that file
	Lacking []v1.Hash `json:"lacking"` // layers, in the order of the archive
	Bytes   int64     `json:"bytes"`   // of those
}

// Needing returns c without the layers that another bundle of the release has, whose file is
// named; c itself if they share no layer.
func (c *Contents) Needing(of *Contents, file string) (*Contents, error) {
	n, err := c.needs(of.LayerSet(), file, of.Groups)
	if n == nil || err != nil {
		return c, err
	}
	sparse := *c
	sparse.Needs = n
	return &sparse, nil
}

// needs returns the Needs of the images of c if a file has those layers; nil if it lacks all of
// theirs.
func (c *Contents) needs(has map[v1.Hash]bool, file string, groups []string) (*Needs, error) {
	complete := *c
	complete.Needs = nil
	_, layers, err := complete.order()
	if err != nil {
		return nil, err
	}
	n := &Needs{Bundle: file, Groups: groups}
	for _, d := range layers {
		if has[d.Digest] {
			n.Lacking = append(n.Lacking, d.Digest)
			n.Bytes += d.Size
		}
	}
	if len(n.Lacking) == 0 {
		return nil, nil
	}
	return n, nil
}

// checkNeeds reports Needs that are not those of the images: layers that no image has, that are
// there twice or in another order, or another number of bytes.
func (c *Contents) checkNeeds() error {
	n := c.Needs
	if n == nil {
		return nil
	}
	own, err := c.needs(n.lacking(), n.Bundle, n.Groups)
	switch {
	case err != nil:
		return &FormatError{Err: err}
	case own == nil || !slices.Equal(own.Lacking, n.Lacking):
		return invalid("%s does not list layers of its images in their order, each once", annotationNeeds)
	case own.Bytes != n.Bytes:
		return invalid("%s has %d bytes, and the layers %d", annotationNeeds, n.Bytes, own.Bytes)
	case len(c.Groups) == 0 || len(n.Groups) == 0:
		return invalid("%s is there, and the bundle and what it adds to are not of groups", annotationNeeds)
	}
	return nil
}

// String says what completes the bundle.
func (n *Needs) String() string {
	return fmt.Sprintf("%d layers (%s) of its images are not in it but in %s, which has group %s",
		len(n.Lacking), progress.Size(n.Bytes), n.Bundle, strings.Join(n.Groups, " and "))
}

// Lacks reports whether the bundle lacks a layer. A bundle without Needs lacks none.
func (n *Needs) Lacks(h v1.Hash) bool { return n != nil && slices.Contains(n.Lacking, h) }

// lacking is the set of the layers; it is empty for nil.
func (n *Needs) lacking() map[v1.Hash]bool {
	if n == nil {
		return once{}
	}
	return setOf(n.Lacking)
}

// readGroups decodes the names of groups.
func readGroups(text string) ([]string, error) {
	if text == "" {
		return nil, nil
	}
	names := strings.Split(text, " ")
	if len(names) > maxGroups || slices.ContainsFunc(names, func(s string) bool { return !isFile(s) }) {
		return nil, invalid("%s is %.100q, not the names of groups", annotationGroups, text)
	}
	return names, nil
}

// maxGroups bounds the groups of one bundle.
const maxGroups = 1000

// readNeeds decodes the annotation of a sparse bundle.
func readNeeds(text string) (*Needs, error) {
	if text == "" {
		return nil, nil
	}
	n := &Needs{}
	if err := oci.Decode(annotationNeeds, []byte(text), n, maxValues); err != nil {
		return nil, err
	}
	_, err := readGroups(strings.Join(n.Groups, " "))
	if err != nil || len(n.Lacking) == 0 || n.Bytes < 0 || !isFile(n.Bundle) ||
		!strings.HasSuffix(n.Bundle, distfile.BundleSuffix) {
		return nil, invalid("%s does not name a bundle and its layers", annotationNeeds)
	}
	return n, nil
}
