package renaming

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/registry/transfer"
)

// Names maps repositories of images to their new names.
type Names struct {
	// Unknown returns the error for a reference to an image that has no new name; nil leaves the
	// reference as it is.
	Unknown func(repository, reference string) error

	repos map[string]*repository // by registry/repository
}

// repository is one of the images, under its old name.
type repository struct {
	to      string // its new name
	tags    map[string]v1.Hash
	digests map[v1.Hash]bool
}

// Add adds an image that one tag of a repository names: the digest is that of the image. to is the
// new name of the repository. The manifests are others that it may be referred to by digest.
func (n *Names) Add(old name.Tag, to string, digest v1.Hash, manifests ...v1.Hash) {
	if n.repos == nil {
		n.repos = map[string]*repository{}
	}
	r := n.repos[old.Context().Name()]
	if r == nil {
		r = &repository{to, map[string]v1.Hash{}, map[v1.Hash]bool{}}
		n.repos[old.Context().Name()] = r
		if old.RegistryStr() == name.DefaultRegistry {
			n.repos["docker.io/"+old.RepositoryStr()] = r // as people write it
		}
	}
	r.tags[old.TagStr()], r.digests[digest] = digest, true
	for _, h := range manifests {
		r.digests[h] = true
	}
}

// reference renames s; it returns nil if that is not a reference. A text with a tag or without
// both is one only if an image has it, or if it is the value of a field named image: too much else
// looks like that.
func (n *Names) reference(s string, image bool) (*reference, error) {
	if s == "" || len(s) > 1024 || strings.ContainsAny(s, " \t\r\n") || !image && !strings.ContainsAny(s, ":@") {
		return nil, nil
	}
	base, digest, pinned := strings.Cut(s, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		return nil, nil //nolint:nilerr // then it is something else
	}
	has := n.repos[t.Context().Name()]
	var want v1.Hash
	var known bool
	if pinned {
		want, err = v1.NewHash(digest)
		if err != nil || want.Algorithm != "sha256" {
			return nil, nil //nolint:nilerr // as above
		}
		known = has != nil && has.digests[want]
	} else if has != nil {
		tag := t.TagStr()
		if tag == "" && image {
			tag = name.DefaultTag
		}
		want, known = has.tags[tag]
	}
	switch {
	case !known && (pinned || image || has != nil && t.TagStr() != ""):
		return nil, n.Unknown(t.Context().Name(), s)
	case !known:
		return nil, nil
	}
	repo := strings.TrimSuffix(base, ":"+t.TagStr())
	moved := &reference{text: has.to + strings.TrimPrefix(s, repo)}
	check := has.to + "@" + want.String()
	if !pinned {
		check = moved.text
	}
	ref, err := name.ParseReference(check)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s, err)
	}
	moved.pin = transfer.Pin{Ref: ref, Digest: want}
	return moved, nil
}

// within returns the first repository, by its old name, that a text refers to, or "".
func (n *Names) within(text string) string {
	for _, repo := range slices.Sorted(maps.Keys(n.repos)) {
		for _, mark := range []string{"@sha256:", ":"} {
			at := strings.Index(text, repo+mark)
			if at >= 0 && (mark != ":" || n.tagged(repo, text[at+len(repo)+1:])) {
				return repo
			}
		}
	}
	return ""
}

// tagged reports whether a text begins with a tag of a repository.
func (n *Names) tagged(repo, text string) bool {
	for tag := range n.repos[repo].tags {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}
