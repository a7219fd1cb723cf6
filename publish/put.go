package publish

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/platform"
)

// putAll puts manifests, and then asks for each of them: a success that something between here and
// the registry has made up is not believed.
func (c *client) putAll(ctx context.Context, jobs int, list []put) error {
	if err := each(ctx, jobs, list, c.put); err != nil {
		return err
	}
	return each(ctx, c.o.Jobs, list, c.prove)
}

func (c *client) put(ctx context.Context, m put) error {
	s, err := c.Session(ctx, m.ref.Context())
	if err != nil {
		return fmt.Errorf("pushing %s: %w", m.ref, err)
	}
	if err := s.Put(ctx, m.ref, m.Manifest); err != nil {
		if refusesSparse(err, m) {
			return fmt.Errorf("pushing %s: the registry takes an index only with all its platforms, and lacks %s (%w): push the bundle for all platforms, or one with these; what was sent is not sent again",
				m.ref, platforms(m.image.lacking), network.Clean(err))
		}
		return fmt.Errorf("pushing %s: %w", m.ref, network.Clean(err))
	}
	return nil
}

// refusesSparse reports whether a registry did not take an index because of what it lacks.
func refusesSparse(err error, m put) bool {
	var e *transport.Error
	return len(m.image.lacking) > 0 && m.Descriptor.MediaType.IsIndex() && errors.As(err, &e) &&
		slices.Contains([]int{http.StatusBadRequest, http.StatusNotFound, http.StatusConflict, http.StatusUnprocessableEntity}, e.StatusCode)
}

// platforms names manifests of an index; those that are about no platform, by digest.
func platforms(list []v1.Descriptor) string {
	var all, attestations []string
	for _, d := range list {
		if d.Platform == nil || d.Platform.OS == "unknown" {
			attestations = append(attestations, d.Digest.String())
			continue
		}
		all = append(all, platform.Format(*d.Platform))
	}
	return strings.Join(append(all, attestations...), ", ")
}

// errAbsent says that a registry does not show what it has taken.
var errAbsent = errors.New("the registry took it, and does not have it now: something else may have answered in its place, such as a proxy; nothing can be pulled by that name, so push again once this is mended")

// prove asks for what has been put. A registry of several machines may take a moment to show it.
func (c *client) prove(ctx context.Context, m put) error {
	err := c.Settle(ctx, func() (bool, error) {
		switch have, err := c.Head(ctx, m.ref); {
		case network.Missing(err):
			return false, errAbsent
		case err != nil:
			return true, network.Clean(err)
		case have.Digest != m.Descriptor.Digest:
			return false, fmt.Errorf("the registry says afterwards that it is %s, and %s was pushed: somebody else may push the same name", have.Digest, m.Descriptor.Digest)
		}
		return true, nil
	})
	if err != nil {
		return fmt.Errorf("pushing %s: %w", m.ref, err)
	}
	return nil
}
