package network

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/docker/cli/cli/config"
	"github.com/docker/cli/cli/config/configfile"
	"github.com/docker/cli/cli/config/types"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/internal/regular"
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
	found, _, err := k.find(ctx, target)
	if err != nil {
		return nil, err
	}
	if found == (types.AuthConfig{}) {
		return authn.Anonymous, nil
	}
	return authn.FromConfig(authn.AuthConfig{
		Username: found.Username, Password: found.Password, Auth: found.Auth,
		IdentityToken: found.IdentityToken, RegistryToken: found.RegistryToken,
	}), nil
}

// find returns the credentials for a repository or a registry, and names where they are from. The
// zero value means that there are none.
func (k keychain) find(ctx context.Context, target authn.Resource) (found types.AuthConfig, source string, err error) {
	variable, err := ofVariable()
	if err != nil {
		return found, "", err
	}
	file, err := configuration()
	if err != nil {
		return found, "", err
	}
	for _, c := range []*configfile.ConfigFile{variable, file} {
		for _, key := range keys(c, target) {
			if key == name.DefaultRegistry {
				key = authn.DefaultAuthKey
			}
			found, source, err = k.lookup(ctx, c, key)
			if err != nil {
				return found, "", err
			}
			if found.ServerAddress = ""; found != (types.AuthConfig{}) { // it is always set
				return found, source, nil
			}
		}
	}
	return found, "", nil
}

// keys are what a configuration may have credentials under: the repository, a namespace that it
// is in, for which the configuration has an entry, and the registry
// (https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md). The most specific
// is first.
func keys(file *configfile.ConfigFile, target authn.Resource) []string {
	all := []string{target.String()}
	for key := target.String(); ; {
		at := strings.LastIndexByte(key, '/')
		if at <= len(target.RegistryStr()) {
			break
		}
		key = key[:at]
		_, plain := file.AuthConfigs[key]
		if _, helper := file.CredentialHelpers[key]; plain || helper {
			all = append(all, key)
		}
	}
	return append(all, target.RegistryStr())
}

// withoutNamespaces returns the accounts of a configuration without those of namespaces. Docker's
// code finds accounts of a registry by the host in a key, as old versions wrote them, and would
// take any of its namespaces.
func withoutNamespaces(all map[string]types.AuthConfig, key string) map[string]types.AuthConfig {
	own := map[string]types.AuthConfig{}
	for k, a := range all {
		_, rest, found := strings.Cut(k, "://")
		if !found {
			rest = k
		}
		_, inHost, _ := strings.Cut(rest, "/")
		switch strings.TrimSuffix(inHost, "/") {
		case "", "v1", "v2":
			own[k] = a
		default:
			if k == key {
				own[k] = a
			}
		}
	}
	return own
}

// lookup asks the helper that the configuration names for a key, or reads the configuration
// itself.
func (k keychain) lookup(ctx context.Context, file *configfile.ConfigFile,
	key string,
) (found types.AuthConfig, source string, err error) {
	helper, ok := file.CredentialHelpers[key]
	if !ok {
		helper = file.CredentialsStore
	}
	if helper != "" {
		found, err = k.ask(ctx, "docker-credential-"+helper, key)
		return found, "credential helper docker-credential-" + helper, err
	}
	plain := *file
	plain.AuthConfigs, plain.CredentialHelpers = withoutNamespaces(file.AuthConfigs, key), nil
	found, err = plain.GetAuthConfig(key)
	return found, file.Filename, err
}

// Anonymous is the source of credentials where there are none.
const Anonymous = "anonymous"

// CredentialSource names where the credentials for a repository are from, never what they are: a
// file, a credential helper, a variable. Without any it is [Anonymous].
func (c *Client) CredentialSource(ctx context.Context, repo name.Repository) (string, error) {
	k, ok := c.o.Keychain.(keychain)
	if !ok {
		return "a keychain", nil
	}
	found, source, err := k.find(ctx, repo)
	switch {
	case err != nil:
		return "", fmt.Errorf("finding credentials for %s: %w", repo.RegistryStr(), err)
	case found == (types.AuthConfig{}):
		return Anonymous, nil
	}
	return source, nil
}

// settingError is an error in the configuration of this machine, whichever registry is asked.
type settingError struct{ error }

// Unwrap returns the error of reading the setting.
func (e settingError) Unwrap() error { return e.error }

// Local marks an error as one of this machine ([outcome.Failed]).
func (settingError) Local() {}

// ofVariable reads DOCKER_AUTH_CONFIG, which comes before every file, and without one.
func ofVariable() (*configfile.ConfigFile, error) {
	text := os.Getenv(configfile.DockerEnvConfigKey)
	if text == "" {
		return configfile.New(""), nil
	}
	c, err := config.LoadFromReader(strings.NewReader(text))
	if err == nil && len(c.AuthConfigs) == 0 {
		err = errors.New("it has no auths")
	}
	if err != nil {
		return nil, settingError{fmt.Errorf(`reading %s: %w: write {"auths": {HOST: {"auth": BASE64}}}, or unset it`,
			configfile.DockerEnvConfigKey, err)}
	}
	// Docker reads accounts only from the variable; helpers are named in a file.
	return &configfile.ConfigFile{AuthConfigs: c.AuthConfigs, Filename: configfile.DockerEnvConfigKey}, nil
}

// configuration reads Docker's configuration, or else Podman's, which has the same form, or
// neither.
func configuration() (*configfile.ConfigFile, error) {
	home, _ := os.UserHomeDir()
	docker := os.Getenv("DOCKER_CONFIG")
	if exists(filepath.Join(home, ".docker", "config.json")) ||
		docker != "" && exists(filepath.Join(docker, "config.json")) {
		if docker == "" {
			docker = config.Dir()
		}
		return load(filepath.Join(docker, config.ConfigFileName))
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
		return load(path)
	}
	return configfile.New(""), nil
}

// load reads a configuration. Each registry asks for it again, so it must not be a pipe.
func load(path string) (*configfile.ConfigFile, error) {
	f, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return configfile.New(path), nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c, err := config.LoadFromReader(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	c.Filename = path
	return c, nil
}

func exists(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && !fi.IsDir()
}
