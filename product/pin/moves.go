package pin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// Move is a change of address: the publisher of all repositories below From puts new versions
// below To. Both end with a slash.
type Move struct{ From, To string }

// Moves are the moves that a newer tag is also looked for behind. A repository counts as moved only
// if the registry has it at the new address.
var Moves = []Move{
	// Microsoft's own builds of others' projects (https://github.com/Azure/AgentBaker/pull/7083,
	// https://github.com/kubernetes-sigs/image-builder/pull/1985,
	// https://github.com/kubernetes/kubernetes/pull/136960).
	{"mcr.microsoft.com/oss/", "mcr.microsoft.com/oss/v2/"},
	// https://kubernetes.io/blog/2023/02/06/k8s-gcr-io-freeze-announcement/
	{"k8s.gcr.io/", "registry.k8s.io/"},
}

// moved returns the new address of a repository; ok is false without one.
func moved(repo name.Repository, moves []Move) (to name.Repository, ok bool) {
	for _, m := range moves {
		if rest, below := strings.CutPrefix(repo.Name(), m.From); below && !strings.HasPrefix(repo.Name(), m.To) {
			to, err := name.NewRepository(m.To + rest)
			return to, err == nil
		}
	}
	return to, false
}

// raise looks for a newer tag, at the new address of the repository first. There the same tag will
// do if the old address has no newer one.
func (i *image) raise(ctx context.Context, c *transfer.Client, o Options) error {
	repo := i.places[0].tag.Context()
	here, err := tags(ctx, c, repo)
	if err != nil {
		return err
	}
	newer := imagetag.Newer(i.tag, here, o.Newer)
	if to, ok := moved(repo, o.Moves); ok {
		there, err := tags(ctx, c, to)
		switch outcome.Of(err) {
		case outcome.There, outcome.Absent:
		case outcome.Broken, outcome.Unread, outcome.Unasked:
			return err
		}
		best := imagetag.Newer(i.tag, there, o.Newer)
		switch {
		case len(best) > 0 && (len(newer) == 0 || len(imagetag.Newer(best[0].Tag, here, o.Newer)) == 0):
			i.moved, newer = to.Name(), best
		case len(newer) == 0 && slices.Contains(there, i.tag):
			i.moved = to.Name()
		}
	}
	if len(newer) > 0 {
		i.tag, i.raised = newer[0].Tag, newer[0].Level
	}
	return nil
}

func tags(ctx context.Context, c *transfer.Client, repo name.Repository) ([]string, error) {
	list, err := c.Tags(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("listing the tags of %s: %w", repo, network.Clean(err))
	}
	return list, nil
}
