package evidence

import (
	"math"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence/provenance"
)

// namesOf returns the names that a statement gives to a digest, and whether it is a third-party
// image.
func namesOf(s *provenance.Statement, h v1.Hash) (names []string, third bool) {
	if subject, ok := s.Subject(h.Hex); ok {
		names = subject.Annotations.Names
		for _, index := range subject.Annotations.Index {
			if i, ok := s.Subject(index); ok {
				names = slices.Concat(names, i.Annotations.Names)
			}
		}
		return names, false
	}
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Digest.SHA256 == h.Hex && d.Annotations.Kind == provenance.KindImage {
			names = append(names, d.Annotations.Names...)
		}
	}
	return names, true
}

// parseName divides a name of an image. The tag is empty only of one by digest alone.
func parseName(name string) (repository, tag string) {
	repository, _, pinned := strings.Cut(name, "@")
	if at := strings.LastIndex(repository, ":"); at > strings.LastIndex(repository, "/") {
		repository, tag = repository[:at], repository[at+1:]
	} else if !pinned {
		tag = "latest"
	}
	return repository, tag
}

// means reports whether repository and tag are a name that a statement gives to a digest, or a copy
// of it in another registry. An image that is asked for by digest alone has no tag, and the digest
// is compared.
func means(s *provenance.Statement, h v1.Hash, repository, tag string) bool {
	registries := s.Predicate.BuildDefinition.ExternalParameters.Registries
	names, third := namesOf(s, h)
	own := longest(names, registries, third, repository, tag)
	if own < 0 {
		return false
	}
	for _, other := range s.Subjects { // windows/agent is not agent below windows
		if longest(other.Annotations.Names, registries, false, repository, "") > own {
			return false
		}
	}
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		if d.Annotations.Kind == provenance.KindImage &&
			longest(d.Annotations.Names, registries, true, repository, "") > own {
			return false
		}
	}
	return true
}

// longest returns the length of the longest path that ends a repository and that one of the names
// has behind its host or, of the product's own images, behind a registry of the release; -1 if none
// does. A single word behind such a registry is not enough: it could be an image of anyone. The
// name itself is longer than any path. An empty tag is any.
func longest(names, registries []string, third bool, repository, tag string) int {
	length := -1
	for _, n := range names {
		own, ownTag := parseName(n)
		if tag != "" && tag != ownTag {
			continue
		}
		if repository == own {
			return math.MaxInt
		}
		_, path, _ := strings.Cut(own, "/")
		below := ""
		for _, r := range registries {
			// the longer path, where registries are below each other
			rest, ok := strings.CutPrefix(own, r+"/")
			if ok && !third && strings.Contains(rest, "/") && len(rest) > len(below) {
				below = rest
			}
		}
		for _, p := range []string{path, below} {
			if p != "" && strings.HasSuffix(repository, "/"+p) {
				length = max(length, len(p))
			}
		}
	}
	return length
}

// allows reports whether a pattern allows a repository.
func allows(pattern, repository string) bool {
	if below, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(repository, below+"/")
	}
	return pattern == repository
}
