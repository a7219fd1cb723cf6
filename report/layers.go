package report

import (
	"math"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
)

// bar is the layers of a manifest, to the scale of the largest one.
type bar struct {
	Image, Platform string
	Bytes, Shared   int64
	Parts           []part
}

// part is a layer. Its place and width are in thousandths of the picture.
type part struct {
	X, Width float64
	Bytes    int64
	Digest   string
	Shared   int // how many other manifests have the layer
}

// layers draws the layers of each manifest: which it shares with others, and how large they are.
func (p *page) layers(c *bundle.Contents) {
	if c == nil {
		return
	}
	users, largest := map[v1.Hash]int{}, int64(1)
	for _, i := range c.Images {
		for _, m := range i.Included() {
			largest = max(largest, total(m.Layers))
			var seen []v1.Hash
			for _, l := range m.Layers {
				if !slices.Contains(seen, l.Digest) {
					seen = append(seen, l.Digest)
					users[l.Digest]++
				}
			}
		}
	}
	for _, i := range c.Images {
		for _, m := range i.Included() {
			b := bar{Image: name(i.Name), Platform: called(m.Platform), Bytes: total(m.Layers)}
			at := 0.0
			for _, l := range m.Layers {
				o := part{
					math.Round(at*10) / 10, math.Round(10000*float64(l.Size)/float64(largest)) / 10,
					l.Size, short(l.Digest), users[l.Digest] - 1,
				}
				if o.Shared > 0 {
					b.Shared += l.Size
				}
				at += o.Width
				b.Parts = append(b.Parts, o)
			}
			p.Layers = append(p.Layers, b)
		}
	}
}

// name is the last part of an image's name, with its tag.
func name(s string) string { return s[strings.LastIndex(s, "/")+1:] }
