package evidence_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/hsmtest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

var update = flag.Bool("update", false, "write golden files anew")

// world is a release that is not signed yet, with the keys of its maintainers.
type world struct {
	st            *store.Store
	l             *lock.Lock
	key, other    *signature.Signer
	key64, sealed []byte // the Sigstore bundle of its statement, and the statement
}

var once sync.Once

var made world

// newWorld returns a copy of the release whose lists may be changed.
func newWorld(t *testing.T) *world {
	t.Helper()
	once.Do(func() {
		// the store outlives the test that came first
		made.st, made.l = bundletest.Release(keep{t}, 300)
		made.key, made.other = bundletest.Key(t), bundletest.Key(t)
		made.sealed = bundletest.Encoded(t, bundletest.Statement(t, made.l))
		made.key64 = bundletest.SignedStatement(t, made.key, made.sealed)
	})
	w := made
	l := *made.l
	l.Images, l.ThirdParty = slices.Clone(l.Images), slices.Clone(l.ThirdParty)
	w.l = &l
	return &w
}

// keep is a test whose directory stays until the process ends.
type keep struct{ *testing.T }

var kept string

func (k keep) TempDir() string {
	if kept == "" {
		dir, err := os.MkdirTemp("", "evidence")
		if err != nil {
			k.Fatal(err)
		}
		kept = dir
	}
	dir, err := os.MkdirTemp(kept, "")
	if err != nil {
		k.Fatal(err)
	}
	return dir
}

func (k keep) Cleanup(func()) {}

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "sign" {
		hsmtest.Main()
	}
	flag.Parse()
	code := m.Run()
	os.RemoveAll(kept)
	os.Exit(code)
}

// statement is a statement of the release that may be changed.
func (w *world) statement(t *testing.T, change func(*provenance.Statement)) []byte {
	t.Helper()
	s := bundletest.Statement(t, w.l)
	change(s)
	return bundletest.Encoded(t, s)
}

// attach lets a Sigstore bundle refer to everything.
func (w *world) attach(t *testing.T, sigstore []byte) *world {
	t.Helper()
	bundletest.Attach(t, w.st, w.l, sigstore)
	return w
}

// pack packs the bundle for all platforms.
func (w *world) pack(t *testing.T) string {
	t.Helper()
	return bundletest.Pack(t, w.st, w.l, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path
}

func policy(keys ...*signature.Signer) evidence.Policy {
	var p evidence.Policy
	for _, k := range keys {
		p.Keys = append(p.Keys, k.Public)
	}
	return p
}

// verify opens bundles and verifies them as one release.
func verify(t *testing.T, p evidence.Policy, paths ...string) (*evidence.Report, error) {
	t.Helper()
	return verifyWith(t, p, "", paths...)
}

// verifyWith verifies bundles with a statement in a file besides, if there is one.
func verifyWith(t *testing.T, p evidence.Policy, statement string, paths ...string) (*evidence.Report, error) {
	t.Helper()
	var all []evidence.Material
	for _, path := range paths {
		b, err := bundle.OpenAny(path)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { b.Close() }) //nolint:errcheck // it was only read
		all = append(all, evidence.FromBundle(filepath.Base(path), b))
	}
	if statement == "" {
		return evidence.Verify(all, p)
	}
	return evidence.Verify(all, p, statement)
}

// signed is the verdict on the release with one Sigstore bundle on everything.
func (w *world) signed(t *testing.T, sigstore []byte) error {
	t.Helper()
	_, err := verify(t, policy(w.key), w.attach(t, sigstore).pack(t))
	return err
}

// envelope is a Sigstore bundle that a test changes.
type envelope struct {
	MediaType string `json:"mediaType"`
	Material  struct {
		PublicKey struct {
			Hint string `json:"hint"`
		} `json:"publicKey"`
	} `json:"verificationMaterial"`
	Envelope *struct {
		Payload     []byte `json:"payload"`
		PayloadType string `json:"payloadType"`
		Signatures  []struct {
			Sig []byte `json:"sig"`
		} `json:"signatures"`
	} `json:"dsseEnvelope,omitempty"`
}

// forge changes the Sigstore bundle of the release.
func (w *world) forge(t *testing.T, change func(*envelope)) []byte {
	t.Helper()
	var e envelope
	if err := json.Unmarshal(w.key64, &e); err != nil {
		t.Fatal(err)
	}
	change(&e)
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}
