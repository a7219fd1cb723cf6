package network

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
)

// maxTags bounds a list of tags. The largest public repositories have some ten thousand.
const maxTags = 200_000

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
	lister, err := s.puller.Lister(ctx, s.repo)
	if err != nil {
		return nil, err
	}
	var bound pages
	for lister.HasNext() {
		page, err := lister.Next(ctx)
		if err != nil {
			return nil, err
		}
		if list = append(list, page.Tags...); len(list) > maxTags {
			return nil, fmt.Errorf("%s lists more than %d tags, as no registry does", s.repo, maxTags)
		}
		if err := bound.add(page.Tags); err != nil {
			return nil, fmt.Errorf("the tags of %s: %w", s.repo, err)
		}
	}
	return list, nil
}

// FirstTags lists the tags on the first page of a registry's list, in its order. all reports that
// this is the only page.
func (c *Client) FirstTags(ctx context.Context, repo name.Repository) (list []string, all bool, err error) {
	s, err := c.Session(ctx, repo, repo.Scope(transport.PullScope))
	if err != nil {
		return nil, false, err
	}
	err = s.o.retry(ctx, func() error {
		lister, err := s.puller.Lister(ctx, s.repo)
		if err != nil {
			return err
		}
		page, err := lister.Next(ctx)
		if err != nil {
			return err
		}
		if len(page.Tags) > maxTags {
			return fmt.Errorf("%s lists more than %d tags, as no registry does", s.repo, maxTags)
		}
		list, all = page.Tags, !lister.HasNext()
		return nil
	})
	return list, all, err
}
