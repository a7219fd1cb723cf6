package render

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	"golang.org/x/mod/modfile"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/product"
)

// images finds the images of the product that references of manifests mean. A reference means one
// by an entry of release.images; by the import path that ko:// names, if one image is of that
// program; or by a repository that slipway.yaml publishes images under, at any destination.
type images struct {
	product      *product.Product
	lock         *lock.Lock
	named        map[string]string     // references of the lock by repository:tag
	repositories map[string][]variant  // by repository
	programs     map[string][]string   // names of go images by import path
	used         map[yamlfile.Pos]bool // entries of release.images
	errs         yamlfile.Errors
}

func newImages(p *product.Product, l *lock.Lock) *images {
	m := &images{p, l, map[string]string{}, map[string][]variant{}, map[string][]string{}, map[yamlfile.Pos]bool{}, nil}
	for _, i := range p.Images {
		if g, ok := i.Content.(*product.GoImage); ok {
			if at := importPath(p, p.Program(g.Program)); at != "" {
				m.programs[at] = append(m.programs[at], i.Name)
			}
		}
		published, ok := l.Image(i.Name)
		if !ok {
			continue
		}
		for _, repository := range slices.Concat(published.Repositories(), i.Elsewhere) {
			full := repositoryOf(repository)
			for _, n := range published.Names() {
				tag := n.Reference[strings.LastIndex(n.Reference, ":"):]
				reference := published.Repository + "@" + n.Desc.Digest.String()
				m.named[full+tag] = reference
				m.repositories[full] = append(m.repositories[full], newVariant(tag[1:], i.Version, i.Name, reference))
			}
		}
	}
	return m
}

// find returns the reference of the lock that a reference means, "" if it means no image of the
// product. certain means that the reference is one because of its place; otherwise it must have a
// tag, or be one that only ko resolves.
func (m *images) find(ref string, certain bool) string {
	if strings.HasPrefix(ref, product.Ko) {
		if image, ok := m.mapped(ref, "", ""); ok {
			return image
		}
		if of := m.programs[strings.TrimPrefix(ref, product.Ko)]; len(of) == 1 {
			return m.reference(of[0])
		}
		return ""
	}
	base, digest, pinned := strings.Cut(ref, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		if !certain {
			return ""
		}
		image, _ := m.mapped(ref, "", "")
		return image
	}
	if t.TagStr() == "" && !certain || m.has(t.Context().Name(), digest) {
		return ""
	}
	if image, ok := m.mapped(base, t.Context().Name(), t.TagStr()); ok {
		return image
	}
	if pinned { // another digest is for lint to report
		return ""
	}
	if image := m.named[t.Name()]; image != "" && t.TagStr() != "" {
		return image
	}
	return meant(m.repositories[t.Context().Name()], t.TagStr())
}

// has reports whether an image of the product has a digest in a repository.
func (m *images) has(repository, digest string) bool {
	return digest != "" && slices.ContainsFunc(m.repositories[repository], func(v variant) bool {
		return strings.HasSuffix(v.reference, "@"+digest)
	})
}

// reference returns repository@digest of an image, "" if the lock lacks it.
func (m *images) reference(image string) string {
	i, ok := m.lock.Image(image)
	if !ok {
		return ""
	}
	return i.Reference()
}

// mapped returns the image that release.images has for a reference, of which repository and tag
// are known if it is not another text. A reference in full goes before a repository, and both go
// before patterns.
func (m *images) mapped(ref, repository, tag string) (string, bool) {
	best, found := -1, -1
	for n, e := range m.product.Release.Images {
		r := e.Match(ref, repository, tag)
		switch {
		case r < 0 || r < best:
		case r == best && e.Target(ref) != m.product.Release.Images[found].Target(ref):
			m.errs.At(e.Pos, "%s and %s both match %s: add an entry for %s itself", e.Reference,
				m.product.Release.Images[found].Reference, ref, ref)
		default:
			best, found = r, n
		}
	}
	if found < 0 {
		return "", false
	}
	e := m.product.Release.Images[found]
	image := m.reference(e.Target(ref))
	m.used[e.Pos] = true
	return image, image != ""
}

// unmatched returns the entries of release.images that match no reference.
func (m *images) unmatched() []product.ImageMapping {
	return slices.DeleteFunc(slices.Clone(m.product.Release.Images), func(e product.ImageMapping) bool {
		return m.used[e.Pos]
	})
}

// maxGoMod bounds a go.mod.
const maxGoMod = 1 << 20

// importPath returns the import path of a program, "" if it is not known.
func importPath(p *product.Product, program product.Program) string {
	s := p.Source(program.Source)
	if s.Module != "" {
		module, _, _ := strings.Cut(s.Module, "@")
		return path.Join(module, program.Package)
	}
	if s.Directory == "" {
		return ""
	}
	for dir := filepath.FromSlash(path.Clean(program.Package)); ; dir = filepath.Dir(dir) {
		text, err := yamlfile.ReadText(filepath.Join(s.Directory, dir, "go.mod"), maxGoMod)
		if module := modfile.ModulePath(text); err == nil && module != "" {
			rel, err := filepath.Rel(dir, filepath.FromSlash(path.Clean(program.Package)))
			if err != nil {
				return ""
			}
			return path.Join(module, filepath.ToSlash(rel))
		}
		if dir == "." {
			return ""
		}
	}
}

// repositoryOf returns the full name of a repository.
func repositoryOf(s string) string {
	r, err := name.NewRepository(s)
	if err != nil {
		return s
	}
	return r.Name()
}
