package evidence_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

// TestFlips changes every byte of a signed bundle, its statement and its checksums, one at a time
// and each by one bit: all are refused.
func TestFlips(t *testing.T) {
	extent.Plain(t)
	w := newWorld(t)
	w.l.Images = []lock.Image{storetest.Index(t,
		w.st, "hello", storetest.Child{
			Platform: bundletest.Parse(t, "linux/amd64"),
			Layers:   []v1.Layer{storetest.Layer(t, "hello", "hello", 20)},
		})}
	w.l.Images[0].Repository, w.l.Images[0].Tags = "registry.example/me/hello", []string{w.l.Version}
	w.l.ThirdParty = nil
	w.sealed = bundletest.Encoded(t, bundletest.Statement(t, w.l))
	w.key64 = bundletest.SignedStatement(t, w.key, w.sealed)
	dir := w.directory(t)
	path := filepath.Join(dir, "demo-images.tar.zst")
	raw := archive(t, path)
	t.Run("bundle alone", func(t *testing.T) {
		// what is in the file is what counts: the frames of zstd have a bit without meaning, and
		// without a seek table the archive is read from its start
		flip(t, path, func(t *testing.T) (string, func() error) {
			own := filepath.Join(t.TempDir(), filepath.Base(path))
			return own, func() error {
				err := wholly(t, own, policy(w.key))
				if err == nil && bytes.Equal(archive(t, own), raw) {
					return errSame
				}
				return err
			}
		})
	})
	for _, name := range []string{
		"demo-images.tar.zst", "provenance.sigstore.json", "SHA256SUMS",
		"SHA256SUMS.sig", "SHA256SUMS.sigstore.json",
	} {
		t.Run(name, func(t *testing.T) {
			flip(t, filepath.Join(dir, name), func(t *testing.T) (string, func() error) {
				own := t.TempDir()
				files, err := os.ReadDir(dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range files {
					if err := os.Link(filepath.Join(dir, f.Name()), filepath.Join(own, f.Name())); err != nil {
						t.Fatal(err)
					}
				}
				remove(t, own, name)
				return filepath.Join(own, name), func() error {
					_, err := evidence.VerifyDir(t.Context(), own, policy(w.key), nil)
					return err
				}
			})
		})
	}
	t.Run("statement alone", func(t *testing.T) {
		flip(t, filepath.Join(dir, "provenance.sigstore.json"), func(t *testing.T) (string, func() error) {
			own := filepath.Join(t.TempDir(), "provenance.sigstore.json")
			return own, func() error {
				_, err := evidence.ReadStatements([]string{own}, policy(w.key))
				return err
			}
		})
	})
}

// errSame is the verdict on a file that is another one, and has the same archive.
var errSame = errors.New("the archive is the same")

// wholly verifies a bundle as verify does: its evidence, and then every byte.
func wholly(t *testing.T, path string, p evidence.Policy) error {
	b, err := bundle.OpenAny(path)
	if err != nil {
		return err
	}
	defer b.Close() //nolint:errcheck // it was only read
	if _, err := evidence.Verify([]evidence.Material{evidence.FromBundle(path, b)}, p); err != nil {
		return err
	}
	r, err := bundle.Verify(t.Context(), path, bundle.VerifyOptions{})
	if err == nil && len(r.Problems) > 0 {
		return os.ErrInvalid
	}
	return err
}

// flip changes each byte of a file in a place that prepare returns, and expects that what it
// returns as well refuses it. The file as it is must be accepted.
func flip(t *testing.T, path string, prepare func(t *testing.T) (place string, verify func() error)) {
	t.Helper()
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	step := extent.Number[int64](11, 1)
	var next, same atomic.Int64
	var workers sync.WaitGroup
	for range 2 {
		place, verify := prepare(t)
		if err := os.WriteFile(place, good, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := verify(); err != nil && !errors.Is(err, errSame) {
			t.Fatalf("unchanged: %v", err)
		}
		workers.Go(func() {
			for at := int(next.Add(step) - step); at < len(good); at = int(next.Add(step) - step) {
				if err := os.WriteFile(place, bundletest.Flip(good, at, uint(at)), 0o600); err != nil {
					t.Error(err)
					return
				}
				switch err := verify(); {
				case err == nil:
					t.Errorf("byte %d of %d, %q, was changed and accepted", at, len(good), good[at])
				case errors.Is(err, errSame):
					same.Add(1)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d bytes; with %d of them changed the archive is the same", len(good), same.Load())
	if same.Load() > int64(len(good)/100) {
		t.Errorf("%d of %d bytes have no meaning", same.Load(), len(good))
	}
}

// archive returns the decompressed archive of a bundle.
func archive(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bundletest.Decompress(t, text)
}
