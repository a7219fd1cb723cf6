package verifiers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
)

// signed is a release of examples/hello for Linux and Windows, by a key, to all registries.
type signed struct {
	dir   string // with keys/release.pub, keys/other.pub, and dist
	lock  *lock.Lock
	image lock.Image // hello
}

const password = "correct horse battery"

// subject is something that has evidence.
type subject struct {
	name   string // a column of the table
	digest v1.Hash
}

// path returns a file of dist/.
func (s *signed) path(file string) string {
	return filepath.Join(s.dir, "dist", filepath.FromSlash(file))
}

// key is what operators have, other is another maintainer's.
func (s *signed) key() string   { return filepath.Join(s.dir, "keys", "release.pub") }
func (s *signed) other() string { return filepath.Join(s.dir, "keys", "other.pub") }

// subjects are the index of hello, and its manifests for Linux and Windows.
func (s *signed) subjects() []subject {
	all := []subject{{"index", s.image.Digest}}
	for _, c := range s.image.Children {
		switch c.Platform.OS {
		case "linux":
			all = append(all, subject{"Linux manifest", c.Digest})
		case "windows":
			all = append(all, subject{"Windows manifest", c.Digest})
		}
	}
	return all
}

// repository is hello in one of the registries.
func (s *signed) repository(t *testing.T, registry string) name.Repository {
	t.Helper()
	r, err := name.NewRepository(registry + "/" + lastPart(s.image.Repository))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lastPart is a repository without its registry.
func lastPart(repository string) string {
	_, path, _ := strings.Cut(repository, "/")
	return path
}

// theRelease returns the release, which is made once for all tests.
func theRelease(t *testing.T) *signed {
	t.Helper()
	s, err := releaseOnce()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var releaseOnce = sync.OnceValues(makeRelease)

func makeRelease() (*signed, error) {
	s := &signed{dir: filepath.Join(workDir, "hello")}
	if err := os.CopyFS(s.dir, os.DirFS("../../examples/hello")); err != nil {
		return nil, err
	}
	if err := s.keys(); err != nil {
		return nil, err
	}
	if err := s.bases(); err != nil {
		return nil, err
	}
	var hosts []string
	for _, r := range registries() {
		hosts = append(hosts, r.host)
	}
	if out, err := s.slipway("release", "-q", "-binary=false", "-sign=keys/release.key",
		"-registry="+strings.Join(hosts, ",")).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("slipway release: %w\n%s", err, out)
	}
	l, err := lock.Read(s.path(lock.Name))
	if err != nil {
		return nil, err
	}
	s.lock = l
	s.image, _ = l.Image("hello")
	if n := len(s.subjects()); n != 3 {
		return nil, fmt.Errorf("hello has %d subjects: %+v", n, s.image)
	}
	return s, nil
}

// slipway is a call of the command in the product's directory.
func (s *signed) slipway(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Getenv(inside), args...)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "SLIPWAY_PASSWORD="+password, "SLIPWAY_REGISTRY=", "SLIPWAY_VERSION=",
		"SOURCE_DATE_EPOCH=", "GOFLAGS=-mod=readonly", "GOPROXY=off")
	return cmd
}

// keys makes the maintainer's key, and another of which only the public half is of interest.
func (s *signed) keys() error {
	if err := os.Mkdir(filepath.Join(s.dir, "keys"), 0o700); err != nil {
		return err
	}
	for _, name := range []string{"release", "other"} {
		private, public, err := signature.Generate([]byte(password))
		if err != nil {
			return err
		}
		for file, b := range map[string][]byte{name + ".key": private, name + ".pub": public} {
			if err := os.WriteFile(filepath.Join(s.dir, "keys", file), b, 0o600); err != nil {
				return err
			}
		}
	}
	return nil
}

// bases puts a base for one Windows release into a registry, and names it in slipway.yaml where
// that of Microsoft is: releases with stub bases are not signed.
func (s *signed) bases() error {
	host := registries()[0].host
	config, err := empty.Image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.OSVersion = "windows", "amd64", "10.0.20348.3207"
	img, err := mutate.ConfigFile(mutate.MediaType(empty.Image, types.DockerManifestSchema2), config)
	if err != nil {
		return err
	}
	layer, err := random.Layer(1024, types.DockerLayer)
	if err != nil {
		return err
	}
	if img, err = mutate.AppendLayers(img, layer); err != nil {
		return err
	}
	digest, err := img.Digest()
	if err != nil {
		return err
	}
	tag, err := name.NewTag(host + "/windows/nanoserver:ltsc2022")
	if err != nil {
		return err
	}
	if err := remote.Write(tag, img); err != nil {
		return err
	}
	file := filepath.Join(s.dir, "slipway.yaml")
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var lines []string
	for line := range strings.Lines(string(b)) {
		switch {
		case strings.HasPrefix(line, "platforms:"):
			line = `platforms: [linux/amd64, "windows/amd64:ltsc2022"]` + "\n"
		case strings.Contains(line, "nanoserver:ltsc2022@"):
			line = fmt.Sprintf("      windows/amd64:ltsc2022: %s@%s\n", tag, digest)
		case strings.Contains(line, "nanoserver:ltsc20"):
			continue
		}
		lines = append(lines, line)
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "")), 0o644)
}
