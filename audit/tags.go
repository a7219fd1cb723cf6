package audit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/once"
	"github.com/slipway-dev/slipway/internal/outcome"
)

// Tags has the tags of repositories, of each the first page of the registry's list, which is read
// once. The zero value is empty. Several goroutines may use it.
type Tags struct {
	pages   once.Map[TagPage]
	digests once.Map[v1.Hash] // of the tags that were asked for, by their names
}

// TagPage is the first page of the tags of a repository.
type TagPage struct {
	// Tags are in the registry's order. There are none if it does not list them.
	Tags []string
	// Whole means that this is the only page: a tag that is not in Tags does not exist.
	Whole bool
	// Refused is why the registry does not list tags, or not for this account; nil if it does. Of a
	// repository that it does not have, it may answer the same.
	Refused error
}

// Has reports whether the page has a tag.
func (p TagPage) Has(tag string) bool { return slices.Contains(p.Tags, tag) }

// MayHave reports whether a tag may exist: it is on the page, or there are other pages.
func (p TagPage) MayHave(tag string) bool { return !p.Whole || p.Has(tag) }

// Of returns the tags of a repository. A registry without tags is not an error, nor is one that
// does not list them, or not for this account ([TagPage.Refused]).
func (t *Tags) Of(ctx context.Context, c *network.Client, repo name.Repository) (TagPage, error) {
	return t.pages.Do(repo.Name(), func() (TagPage, error) { return readTags(ctx, c, repo) })
}

// digest returns what a tag names; the zero digest if the registry has no such tag.
func (t *Tags) digest(ctx context.Context, c *network.Client, tag name.Tag) (v1.Hash, error) {
	return t.digests.Do(tag.Name(), func() (v1.Hash, error) {
		d, err := c.Head(ctx, tag)
		switch outcome.Of(err) {
		case outcome.There:
			return d.Digest, nil
		case outcome.Absent:
			return v1.Hash{}, nil
		case outcome.Broken, outcome.Unread, outcome.Unasked:
		}
		return v1.Hash{}, err
	})
}

// withoutTags are the answers of registries that do not list tags, or not to everybody.
var withoutTags = []int{
	http.StatusUnauthorized, http.StatusForbidden, http.StatusMethodNotAllowed, http.StatusNotImplemented,
}

func readTags(ctx context.Context, c *network.Client, repo name.Repository) (TagPage, error) {
	list, whole, err := c.FirstTags(ctx, repo)
	var refused *transport.Error
	if errors.As(err, &refused) && slices.Contains(withoutTags, refused.StatusCode) {
		return TagPage{Refused: network.Clean(err)}, nil
	}
	switch outcome.Of(err) {
	case outcome.There:
	case outcome.Absent:
		return TagPage{Refused: fmt.Errorf("no such repository, or the registry does not list tags: %w",
			network.Clean(err))}, nil
	case outcome.Broken, outcome.Unread, outcome.Unasked:
		return TagPage{}, network.Clean(err)
	}
	isNone := func(tag string) bool { return !imagename.IsTag(tag) }
	return TagPage{Tags: slices.DeleteFunc(list, isNone), Whole: whole}, nil
}
