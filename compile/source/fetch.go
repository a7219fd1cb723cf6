package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/product"
)

// Fetch makes a source available on disk and returns where. A module that is not in the module
// cache is downloaded, by the go command. Its content and go.mod must have the hashes that
// slipway.yaml pins.
func Fetch(ctx context.Context, s product.Source) (Tree, error) {
	if s.Module == "" {
		return directory(ctx, s)
	}
	if len(lacks(s)) > 0 {
		return Tree{}, complete(ctx, s)
	}
	dir, gomod, err := download(ctx, s.Module, true)
	if err != nil {
		return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
	}
	if err := verify(s, dir, gomod); err != nil {
		return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
	}
	return Tree{Source: s, Dir: dir, Fixed: true}, nil
}

// download returns the module's directory in the module cache and the path of its go.mod there.
// The checksum database is not asked about a module whose hash is pinned, since it may not know
// that one.
func download(ctx context.Context, mod string, pinned bool) (dir, gomod string, err error) {
	path, version, _ := strings.Cut(mod, "@")
	if dir, gomod, ok := cached(ctx, path, version); ok {
		return dir, gomod, nil
	}
	cmd := anywhere(ctx, "mod", "download", "-json", mod)
	if pinned { // everything else stays as the user set it
		cmd.Env = append(cmd.Env, "GONOSUMDB="+join(lookup(cmd.Env, "GONOSUMDB"), path))
	}
	out, err := cmd.Output()
	var m struct{ Dir, GoMod, Error string }
	if jsonErr := json.Unmarshal(out, &m); jsonErr == nil && m.Error != "" {
		return "", "", fmt.Errorf("downloading %s: %s", mod, m.Error)
	}
	if err != nil {
		return "", "", fmt.Errorf("downloading %s: %w", mod, Explain(err))
	}
	return m.Dir, m.GoMod, nil
}

// cached returns the module's directory where the cache has it, without a subprocess that asks
// the network.
func cached(ctx context.Context, path, version string) (dir, gomod string, ok bool) {
	values, err := installedVariables(ctx, "its module cache", "GOMODCACHE")
	if err != nil {
		return "", "", false
	}
	root := values[0]
	p, wrong := module.EscapePath(path)
	v, err := module.EscapeVersion(version)
	if wrong != nil || err != nil {
		return "", "", false
	}
	dir = filepath.Join(root, filepath.FromSlash(p)+"@"+v)
	gomod = filepath.Join(root, "cache", "download", filepath.FromSlash(p), "@v", v+".mod")
	for _, f := range []string{dir, gomod} {
		if _, err := os.Stat(f); err != nil {
			return "", "", false
		}
	}
	// A marker of an extraction that was interrupted: the go command will do it again.
	if _, err := os.Stat(filepath.Join(root, "cache", "download", filepath.FromSlash(p),
		"@v", v+".partial")); err == nil {
		return "", "", false
	}
	return dir, gomod, true
}

// lookup returns the last value of a variable.
func lookup(env []string, name string) (value string) {
	for _, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); k == name {
			value = v
		}
	}
	return value
}

func join(list, item string) string {
	if list == "" {
		return item
	}
	return list + "," + item
}

// Explain adds what a command wrote to standard error to the error of running it.
func Explain(err error) error {
	var none *exec.Error
	if errors.As(err, &none) && none.Name == "go" && errors.Is(err, exec.ErrNotFound) {
		return errors.New("the go command is needed to build, and it is not in PATH: " +
			"install Go from https://go.dev/dl, or use a stage that needs none (airgap, serve, lint)")
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
	}
	return err
}

// dirty follows the commit in the revision of a source that is not all of it.
const dirty = "-dirty"

const giveThem = "commit the directory to git, or give revision and created in slipway.yaml"

// directory fills in what slipway.yaml leaves out from the directory's git repository: HEAD, with
// "-dirty" where the source has [product.Source.Changes], and its commit time.
func directory(ctx context.Context, s product.Source) (Tree, error) {
	if fi, err := os.Stat(s.Directory); err != nil || !fi.IsDir() {
		return Tree{}, fmt.Errorf("source %s: %s is not a directory", s.Name, s.Directory)
	}
	if err := CheckFiles(ctx, s.Directory); err != nil {
		return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
	}
	if s.Revision != "" && !s.Created.IsZero() {
		return Tree{Source: s, Dir: s.Directory}, nil
	}
	head, err := git.Head(ctx, s.Directory)
	if err != nil {
		return Tree{}, fmt.Errorf("source %s: %w: %s", s.Name, err, giveThem)
	}
	if s.Created.IsZero() {
		s.Created = head.Time
	}
	if s.Revision == "" {
		changes, err := s.Changes(ctx)
		if err != nil {
			return Tree{}, fmt.Errorf("source %s: %w", s.Name, err)
		}
		s.Revision = head.Hash
		if len(changes) > 0 {
			s.Revision += dirty
		}
	}
	return Tree{Source: s, Dir: s.Directory}, nil
}
