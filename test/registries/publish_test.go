package registries

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/publish"
	"github.com/slipway-dev/slipway/registry/transfer"
	"github.com/slipway-dev/slipway/store"
)

// cut makes a store with a release, and the product it belongs to.
func cut(t *testing.T) (*product.Product, *store.Store, *lock.Lock) {
	t.Helper()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := storetest.Release(t, st, 200_000)
	return storetest.Product(t, l), st, l
}

// login makes this test's Docker configuration know the registry.
func login(t *testing.T, host, password string) (config string) {
	t.Helper()
	config = filepath.Join(t.TempDir(), "config.json")
	text := fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`,
		host, base64.StdEncoding.EncodeToString([]byte(user+":"+password)))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("DOCKER_CONFIG", filepath.Dir(config))
	return config
}

func TestPublish(t *testing.T) {
	for name, start := range map[string]func(*testing.T) software{
		"distribution 3":               func(t *testing.T) software { return distribution3(t, false, false) },
		"distribution 3 with TLS":      func(t *testing.T) software { return distribution3(t, true, true) },
		"distribution 3 with password": func(t *testing.T) software { return distribution3(t, true, false) },
		"Debian":                       func(t *testing.T) software { return debian(t, false) },
		"Debian with password":         func(t *testing.T) software { return debian(t, true) },
	} {
		t.Run(name, func(t *testing.T) {
			testprog.Need(t, "skopeo")
			r := start(t)
			config := login(t, r.host, password)
			p, st, l := cut(t)
			p.Registry = r.host + "/acme"
			o := network.Options{Transport: r.transport, Wait: time.Millisecond}
			out, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o)
			if err != nil {
				t.Fatal(err)
			}
			pullBack(t, r, out)
			for _, i := range out.Images {
				skopeo(t, i.Tagged(), i, "--authfile", config)
			}
			if r.requests != nil {
				c := r.requests.reset()
				if want := unique(t, st, out); c["PATCH"] != want {
					t.Errorf("%d blobs were sent, the release has %d", c["PATCH"], want)
				}
			}
			if _, err := publish.Publish(t.Context(), p, st, storetest.Built(l), o); err != nil {
				t.Fatal(err)
			}
			if r.requests != nil {
				// The GETs ask for the referrers of the images: a signature may have been added
				// since. A HEAD asks for each image, and one for its tag.
				if c := r.requests.reset(); c["HEAD"] != 2*len(l.Images) || c["POST"]+c["PUT"]+c["PATCH"] != 0 {
					t.Errorf("the second run asked %v", c)
				}
			}

			// Another release under the same version.
			other := *l
			other.Images = append([]lock.Image{}, l.Images...)
			other.Images[0], other.Images[1] = other.Images[1], other.Images[0]
			other.Images[0].Name, other.Images[1].Name = "agent", "server"
			same := storetest.Product(t, &other)
			same.Registry = p.Registry
			if _, err := publish.Publish(t.Context(), same, st, storetest.Built(&other), o); err == nil ||
				!strings.Contains(err.Error(), "raise version") {
				t.Errorf("another release under the same version: %v", err)
			}
		})
	}
}

func TestWrongPassword(t *testing.T) {
	for name, start := range map[string]func(*testing.T) software{
		"distribution 3": func(t *testing.T) software { return distribution3(t, true, false) },
		"Debian":         func(t *testing.T) software { return debian(t, true) },
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			login(t, r.host, "wrong password")
			p, st, l := cut(t)
			p.Registry = r.host
			_, err := publish.Publish(t.Context(), p, st, storetest.Built(l), network.Options{Wait: time.Millisecond})
			if err == nil || !strings.Contains(err.Error(), "docker login") ||
				strings.Contains(err.Error(), "wrong password") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestParts publishes by platform and merges.
func TestParts(t *testing.T) {
	for name, start := range map[string]func(*testing.T) software{
		"distribution 3": func(t *testing.T) software { return distribution3(t, false, false) },
		"Debian":         func(t *testing.T) software { return debian(t, false) },
	} {
		t.Run(name, func(t *testing.T) {
			r := start(t)
			var locks []*lock.Part
			for _, os := range []string{platform.Linux, platform.Windows} {
				p, st, l := cut(t)
				p.Registry = r.host
				part, _, err := publish.PublishPart(t.Context(), storetest.Only(p, os), st, storetest.Built(l),
					network.Options{})
				if err != nil {
					t.Fatal(err)
				}
				locks = append(locks, part)
			}
			p, _, _ := cut(t)
			p.Registry = r.host
			st, err := store.Open(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			prepared, err := publish.PrepareMerge(t.Context(), p, st, locks, network.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := prepared.Push(t.Context()); err != nil {
				t.Fatal(err)
			}
			l := prepared.Lock
			pullBack(t, r, l)
			if err := transfer.New(network.Options{}).Pull(t.Context(), st, l); err != nil {
				t.Fatal(err)
			}
			for _, i := range l.Images {
				for _, c := range i.Children {
					img, err := st.Image(c.Digest)
					if err != nil {
						t.Fatal(err)
					}
					if err := validate.Image(img); err != nil {
						t.Errorf("%s %s: %v", i.Name, c.Platform, err)
					}
				}
			}
		})
	}
}

// pullBack reads every image with go-containerregistry and checks all its digests.
func pullBack(t *testing.T, r software, l *lock.Lock) {
	t.Helper()
	options := []remote.Option{remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	if r.transport != nil {
		options = append(options, remote.WithTransport(r.transport))
	}
	for _, i := range l.Images {
		ref, err := name.ParseReference(i.Tagged())
		if err != nil {
			t.Fatal(err)
		}
		d, err := remote.Get(ref, options...)
		if err != nil {
			t.Fatal(err)
		}
		if d.Digest != i.Digest {
			t.Errorf("%s is %s, the lock says %s", ref, d.Digest, i.Digest)
		}
		if !d.MediaType.IsIndex() {
			img, err := d.Image()
			if err != nil {
				t.Fatal(err)
			}
			if err := validate.Image(img); err != nil {
				t.Errorf("%s: %v", ref, err)
			}
			continue
		}
		idx, err := d.ImageIndex()
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(idx); err != nil {
			t.Errorf("%s: %v", ref, err)
		}
	}
}

// skopeo copies an image with all its platforms and compares the digest.
func skopeo(t *testing.T, reference string, i lock.Image, args ...string) {
	t.Helper()
	dir := t.TempDir()
	args = append([]string{"--insecure-policy", "copy", "--quiet", "--all", "--src-tls-verify=false"}, args...)
	args = append(args, "docker://"+reference, "dir:"+dir)
	testprog.Run(t, "skopeo", args...)
	raw, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(raw); hex.EncodeToString(sum[:]) != i.Digest.Hex {
		t.Errorf("skopeo got sha256:%x of %s, the lock says %s", sum, reference, i.Digest)
	}
}

// unique counts the blobs of a release, each once.
func unique(t *testing.T, st *store.Store, l *lock.Lock) int {
	t.Helper()
	all := map[string]bool{}
	for _, i := range l.Images {
		for _, c := range i.Children {
			img, err := st.Image(c.Digest)
			if err != nil {
				t.Fatal(err)
			}
			m, err := img.Manifest()
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range append(m.Layers, m.Config) {
				all[d.Digest.String()] = true
			}
		}
	}
	return len(all)
}
