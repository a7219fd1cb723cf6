package release

import (
	"context"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/network"
)

// Credential is the source of the credentials for a registry: a file, a credential helper, a
// variable, or [network.Anonymous]. The credentials themselves are not in it.
type Credential struct {
	Registry string `json:"registry"` // host
	Use      string `json:"use"`      // "push" or "pull"
	Source   string `json:"source"`
}

// credentials lists the source of the credentials for each registry that the release would use.
// Repositories of one registry may have different ones.
func (pl *planner) credentials(ctx context.Context) error {
	c := network.New(pl.network)
	seen, failed := map[string]bool{}, map[string]bool{}
	add := func(use, repository string) error {
		repo, err := name.NewRepository(repository)
		if err != nil {
			return err
		}
		key, host := use+" "+repository, repo.RegistryStr()
		if seen[key] || failed[host] {
			return nil
		}
		seen[key] = true
		source, err := c.CredentialSource(ctx, repo)
		if err != nil {
			failed[host] = true
			pl.refuse(err)
			return nil
		}
		if one := (Credential{host, use, source}); !slices.Contains(pl.Credentials, one) {
			pl.Credentials = append(pl.Credentials, one)
		}
		return nil
	}
	for _, i := range pl.names.Images {
		if pl.Snapshot {
			break
		}
		for _, repository := range i.Repositories() {
			if err := add("push", repository); err != nil {
				return err
			}
		}
	}
	for _, repo := range pl.pulled() {
		if err := add("pull", repo.Name()); err != nil {
			return err
		}
	}
	return nil
}

// pulled lists the repositories of what the release would fetch.
func (pl *planner) pulled() []name.Repository {
	var all []name.Repository
	for _, o := range pl.outlines {
		for _, on := range o.On {
			if on.Base != nil && !on.Base.Stub {
				on.CopiedFrom = append(on.CopiedFrom[:len(on.CopiedFrom):len(on.CopiedFrom)], *on.Base)
			}
			for _, b := range on.CopiedFrom {
				if ref, err := name.NewDigest(b.Name); err == nil && !b.Stub { // built-in ones are not references
					all = append(all, ref.Context())
				}
			}
		}
	}
	for n, t := range pl.product.Airgap.Images {
		if n < len(pl.ThirdParty) && pl.ThirdParty[n].Host() != "" {
			all = append(all, t.Reference.Context())
		}
	}
	return all
}
