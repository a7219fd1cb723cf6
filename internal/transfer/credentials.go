package transfer

import (
	"context"
	"fmt"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/output"
)

// credentials finds those for a repository, and keeps them out of everything that is printed.
func (c *Client) credentials(ctx context.Context, repo name.Repository) (authn.Authenticator, error) {
	auth, err := authn.Resolve(ctx, c.o.Keychain, repo)
	if err != nil {
		return nil, fmt.Errorf("finding credentials for %s: %w", repo.RegistryStr(), err)
	}
	found, err := authn.Authorization(ctx, auth)
	if err != nil {
		return nil, fmt.Errorf("finding credentials for %s: %w", repo.RegistryStr(), err)
	}
	output.Login(found.Username, found.Password)
	output.Secret(found.Auth, found.IdentityToken, found.RegistryToken)
	return auth, nil
}
