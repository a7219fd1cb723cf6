package network

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// Bounds on a list of tags. The largest public repositories have some ten thousand, in pages of a
// hundred and more.
const (
	maxTags  = 200_000
	maxPages = 2_000
)

// Tags lists the tags of a repository, in the order of the registry.
func (c *Client) Tags(ctx context.Context, repo name.Repository) ([]string, error) {
	s, err := c.Session(ctx, repo, repo.Scope(transport.PullScope))
	if err != nil {
		return nil, err
	}
	return s.Tags(ctx)
}

// Tags lists the tags of the repository, page by page. If a page breaks off, it begins again.
func (s *Session) Tags(ctx context.Context) (list []string, err error) {
	err = s.o.retry(ctx, func() error {
		list, err = s.tags(ctx)
		return err
	})
	return list, err
}

func (s *Session) tags(ctx context.Context) (list []string, err error) {
	pages, err := s.puller.Lister(ctx, s.repo)
	if err != nil {
		return nil, err
	}
	for n := 0; pages.HasNext(); n++ {
		page, err := pages.Next(ctx)
		if err != nil {
			return nil, err
		}
		if list = append(list, page.Tags...); len(list) > maxTags || n == maxPages {
			return nil, fmt.Errorf("%s lists more than %d tags or %d pages, as no registry does", s.repo, maxTags, maxPages)
		}
	}
	return list, nil
}
