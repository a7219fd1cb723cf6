package lint

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/workload"
	"github.com/slipway-dev/slipway/lock"
)

// mention is an image reference elsewhere than where a pod names its images: in an argument, a
// variable, a ConfigMap, a custom resource.
type mention struct {
	ref, path string
	pos       workload.Pos
	object    int
}

// mentions returns the references in all objects that are not images of pods.
func (c *checker) mentions(pods []*pod) []mention {
	images := map[int]map[string]bool{} // the paths of those that are
	for _, p := range pods {
		images[p.object] = map[string]bool{}
		for _, ref := range workload.References(p.spec) {
			images[p.object][p.Path(ref.Path...)] = true
		}
	}
	var all []mention
	for n, o := range c.objects {
		o.Texts(func(t workload.Text) {
			for _, ref := range c.images.Mentions(t.Name, t.Value) {
				if path := t.Path(); !images[n][path] {
					all = append(all, mention{ref, path, t.Pos, n})
				}
			}
		})
	}
	return all
}

// mention checks one reference: that the lock has it, or its registry.
func (c *checker) mention(m mention) {
	_, fault, what := c.resolve(m.ref)
	if fault != lock.KoName && !c.knowing() {
		return
	}
	id := faultRules[fault]
	if c.missing[m.ref] {
		id, what = missing(m.ref)
	}
	if r, broken := rule(id); broken {
		f := newFinding(r, what, m.pos)
		f.Object, f.Path = output.Line(c.objects[m.object].String()), output.Line(m.path)
		c.add(f, m.object, m.ref)
	}
}

// resolve is [lock.Catalog.Resolve], which takes a tag beside the digest for nothing.
func (c *checker) resolve(ref string) (lock.CatalogImage, lock.Fault, string) {
	if r, err := name.ParseReference(ref); err == nil {
		c.named[r.Context().Name()] = true
	}
	i, fault, what := c.images.Resolve(ref)
	if fault == lock.TagAndDigest {
		repository, digest, _ := strings.Cut(ref, "@")
		// the digest counts
		return c.images.Resolve(repository[:strings.LastIndex(repository, ":")] + "@" + digest)
	}
	return i, fault, what
}

// missing is the rule that a reference breaks which its registry does not have.
func missing(ref string) (id, what string) {
	return "image-digest", fmt.Sprintf("the registry does not have %s", ref)
}
