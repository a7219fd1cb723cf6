package network

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/config/types"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/output"
)

// credentials finds the credentials for a repository, and registers them as secrets.
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

// keychain finds credentials as authn.DefaultKeychain does, but bounds the time of credential
// helpers, and ends them with ctx.
type keychain struct{ limit time.Duration }

// Resolve finds the credentials for a repository or a registry.
func (k keychain) Resolve(target authn.Resource) (authn.Authenticator, error) {
	return k.ResolveContext(context.Background(), target)
}

// ResolveContext is Resolve with a context that ends the helper.
func (k keychain) ResolveContext(ctx context.Context, target authn.Resource) (authn.Authenticator, error) {
	file, err := configuration()
	if file == nil || err != nil {
		return authn.Anonymous, err
	}
	for _, key := range []string{target.String(), target.RegistryStr()} {
		if key == name.DefaultRegistry {
			key = authn.DefaultAuthKey
		}
		found, err := k.lookup(ctx, file, key)
		if err != nil {
			return nil, err
		}
		if found.ServerAddress = ""; found != (types.AuthConfig{}) { // it is always set
			return authn.FromConfig(authn.AuthConfig{
				Username: found.Username, Password: found.Password, Auth: found.Auth,
				IdentityToken: found.IdentityToken, RegistryToken: found.RegistryToken,
			}), nil
		}
	}
	return authn.Anonymous, nil
}

// lookup asks the helper that the configuration names for a key, or reads the configuration
// itself.
func (k keychain) lookup(ctx context.Context, file *configfile.ConfigFile, key string) (types.AuthConfig, error) {
	helper, ok := file.CredentialHelpers[key]
	if !ok {
		helper = file.CredentialsStore
	}
	plain := *file
	plain.CredentialsStore, plain.CredentialHelpers = "", nil
	if helper == "" {
		return plain.GetAuthConfig(key)
	}
	plain.AuthConfigs = nil // but for DOCKER_AUTH_CONFIG, which comes first
	found, err := plain.GetAuthConfig(key)
	if err != nil || found.Username != "" {
		return found, err
	}
	return k.ask(ctx, "docker-credential-"+helper, key)
}

// configuration reads Docker's configuration, or else Podman's, which has the same form. It
// returns nil if there is neither.
func configuration() (*configfile.ConfigFile, error) {
	home, _ := os.UserHomeDir()
	docker := os.Getenv("DOCKER_CONFIG")
	if exists(filepath.Join(home, ".docker", "config.json")) || docker != "" && exists(filepath.Join(docker, "config.json")) {
		return config.Load(docker)
	}
	own := os.Getenv("XDG_CONFIG_HOME")
	if own == "" && home != "" {
		own = filepath.Join(home, ".config")
	}
	for _, path := range []string{
		os.Getenv("REGISTRY_AUTH_FILE"),
		filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "containers", "auth.json"),
		filepath.Join(own, "containers", "auth.json"),
	} {
		if !filepath.IsAbs(path) && path != os.Getenv("REGISTRY_AUTH_FILE") || !exists(path) {
			continue
		}
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return config.LoadFromReader(f)
	}
	return nil, nil
}

func exists(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && !fi.IsDir()
}
