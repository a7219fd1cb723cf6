package airgap

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/bundle"
	"github.com/slipway-dev/slipway/internal/transfer"
)

// renamer renames references to the images of a bundle.
type renamer struct {
	to    string
	repos map[string]*repoContents // by registry/repository
	names []string                 // of repos, sorted
}

// repoContents is what a bundle has of a repository.
type repoContents struct {
	path    string // without the registry
	tags    map[string]v1.Hash
	digests map[v1.Hash]bool
}

func newRenamer(images []bundle.Image, to string) *renamer {
	r := &renamer{to: to, repos: map[string]*repoContents{}}
	for _, i := range images {
		t, err := name.NewTag(i.Name)
		if err != nil {
			continue // Open has checked it
		}
		c := r.repos[t.Context().Name()]
		if c == nil {
			c = &repoContents{t.RepositoryStr(), map[string]v1.Hash{}, map[v1.Hash]bool{}}
			r.repos[t.Context().Name()] = c
			if t.RegistryStr() == name.DefaultRegistry {
				r.repos["docker.io/"+c.path] = c // as people write it
			}
		}
		c.tags[t.TagStr()], c.digests[i.Digest()] = i.Digest(), true
		for _, m := range i.Included() {
			c.digests[m.Desc.Digest] = true
		}
	}
	r.names = slices.Sorted(maps.Keys(r.repos))
	return r
}

// reference renames s; it returns nil if that is not a reference. A text with a tag or without
// both is one only if the bundle has it, or if it is the value of a field named image: too much
// else looks like that.
func (r *renamer) reference(s string, image bool) (*reference, error) {
	if s == "" || len(s) > 1024 || strings.ContainsAny(s, " \t\r\n") || !image && !strings.ContainsAny(s, ":@") {
		return nil, nil
	}
	base, digest, pinned := strings.Cut(s, "@")
	t, err := name.NewTag(base, name.WithDefaultTag(""))
	if err != nil {
		return nil, nil //nolint:nilerr // then it is something else
	}
	has := r.repos[t.Context().Name()]
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
		return nil, fmt.Errorf("%s is not in the bundle: push the bundle that belongs to this release, or add the image to images.txt", s)
	case !known:
		return nil, nil
	}
	repo := strings.TrimSuffix(base, ":"+t.TagStr())
	moved := &reference{text: r.to + "/" + has.path + strings.TrimPrefix(s, repo)}
	check := r.to + "/" + has.path + "@" + want.String()
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

// within returns the first repository of the bundle that a text refers to, or "".
func (r *renamer) within(text string) string {
	for _, n := range r.names {
		for _, mark := range []string{"@sha256:", ":"} {
			at := strings.Index(text, n+mark)
			if at >= 0 && (mark != ":" || r.tagged(n, text[at+len(n)+1:])) {
				return n
			}
		}
	}
	return ""
}

// tagged reports whether a text begins with a tag that the bundle has of a repository.
func (r *renamer) tagged(repo, text string) bool {
	for tag := range r.repos[repo].tags {
		if strings.HasPrefix(text, tag) {
			return true
		}
	}
	return false
}
