package product

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/git"
)

// errNoRevision is the error for a source whose commit is unknown.
var errNoRevision = errors.New("is not known: give the source a revision")

// readRevision asks git for the commit of the source, if slipway.yaml does not have it and one of
// the templates, or one of a channel or a destination, needs it.
func (t *nameTemplates) readRevision(ctx context.Context, templates []string) {
	if t.channel != nil {
		templates = append(templates, t.channel.FloatingTags...)
	}
	for _, d := range t.in.Destinations {
		templates = append(templates, d.Repository)
	}
	if t.fields.Revision != "" || !slices.ContainsFunc(templates, revisionPart.MatchString) {
		return
	}
	t.noRevision = errNoRevision
	if s := t.out.Source(t.source); s.Directory != "" {
		t.fields.Revision, t.noRevision = t.revisionOf(ctx, s)
	}
}

// revisionOf returns the commit of a directory. In a snapshot "-dirty" follows it where files
// differ from the commit, as in the source's revision; what a registry gets has to be committed.
func (c *checker) revisionOf(ctx context.Context, s Source) (string, error) {
	if known, ok := c.revisions[s.Name]; ok {
		return known.text, known.err
	}
	text, err := c.askRevision(ctx, s)
	if c.revisions == nil {
		c.revisions = map[string]revision{}
	}
	c.revisions[s.Name] = revision{text, err}
	return text, err
}

// revision is what git says about a source.
type revision struct {
	text string
	err  error
}

func (c *checker) askRevision(ctx context.Context, s Source) (string, error) {
	const give = "commit the directory to git, or give the source a revision"
	head, err := git.Head(ctx, s.Directory)
	if err != nil {
		return "", fmt.Errorf("is not known: %w: %s", err, give)
	}
	changes, err := s.Changes(ctx)
	switch {
	case err != nil:
		return "", fmt.Errorf("is not known: %w: %s", err, give)
	case len(changes) == 0:
		return head.Hash, nil
	case c.out.Snapshot():
		return head.Hash + "-dirty", nil
	}
	return "", fmt.Errorf("does not have all of it (%s): %s", strings.TrimSpace(someOf(changes)), give)
}
