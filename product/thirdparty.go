package product

import (
	"path"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// ThirdParty is a third-party image.
type ThirdParty struct {
	Reference name.Reference
	Text      string // as written, with the digest of images.lock.yaml
	Pos       yamlfile.Pos
	// From lists what names it: the line of images.txt, and places in manifests.
	From []string
	// OS are the operating systems of the nodes that run it; nil if it may be any.
	OS []string
	// Omitted is the reason why no bundle includes it; "" if they do.
	Omitted string
	// Groups are the groups that it is in.
	Groups []string
	// Listed are the groups whose lists name it, so that each bundle of these has it.
	Listed []string
}

// Removal is a line of images.txt that removes images from the bundles: !PATTERN.
type Removal struct {
	// Pattern is a reference, or a repository, in which * replaces any text but a slash.
	Pattern string
	Pos     yamlfile.Pos
	From    string // the line, as in [ThirdParty]
}

// Removes reports whether a line of images.txt removes the image of a reference.
func (a Airgap) Removes(reference string) bool {
	return slices.ContainsFunc(a.Removed, func(r Removal) bool { return r.Matches(reference) })
}

// Matches reports whether the line removes the image of a reference: the pattern is the reference,
// with or without its digest, or its repository. The name of a registry is optional where the
// reference lacks one.
func (r Removal) Matches(reference string) bool { return Matches(r.Pattern, reference) }

// Matches reports whether a pattern is of a reference, as [Removal.Matches] does.
func Matches(pattern, reference string) bool {
	tagged, _, _ := strings.Cut(reference, "@")
	texts := []string{reference, tagged}
	if ref, err := name.ParseReference(reference); err == nil {
		repository := ref.Context().Name()
		short := tagged
		if n := strings.LastIndex(tagged, ":"); n > strings.LastIndex(tagged, "/") {
			short = tagged[:n]
		}
		texts = append(texts, ref.Name(), repository, short)
		if rest, ok := strings.CutPrefix(repository, name.DefaultRegistry+"/"); ok {
			texts = append(texts, "docker.io/"+rest, "docker.io/"+strings.TrimPrefix(rest, "library/"))
		}
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		ok, err := path.Match(pattern, text)
		return err == nil && ok
	})
}

// FetchesFrom reports whether a release fetches third-party images from a registry. A snapshot
// does without the network, and fetches them from this machine alone, unless the product is
// nothing but a list of them.
func (p *Product) FetchesFrom(host string) bool {
	return !p.Snapshot() || imagename.Loopback(host) || p.onlyListed()
}

// onlyListed reports whether the product has nothing but third-party images.
func (p *Product) onlyListed() bool {
	if p.Unselected != nil {
		p = p.Unselected
	}
	return len(p.Images)+len(p.Charts)+len(p.Artifacts) == 0 && p.Release.Empty()
}

// Owns reports whether a repository is one of the product's images, in whatever registry and below
// whatever prefix.
func (p *Product) Owns(r name.Repository) bool { return p.Owner(r) != "" }

// Owner returns the name of the product's image that a repository is of, in whatever registry and
// below whatever prefix; "" if it is of none.
func (p *Product) Owner(r name.Repository) string {
	path := r.RepositoryStr()
	n := slices.IndexFunc(p.Images, func(i Image) bool {
		return slices.ContainsFunc(i.Repositories, func(own string) bool {
			return path == own || strings.HasSuffix(path, "/"+own)
		}) || slices.ContainsFunc(i.Elsewhere, func(own string) bool {
			e, err := name.NewRepository(own)
			return err == nil && e == r
		})
	})
	if n < 0 {
		return ""
	}
	return p.Images[n].Name
}
