package evidence_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/hsmtest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// withEvidence is a release with evidence.
func withEvidence(t *testing.T, key *signature.Signer) (*store.Store, *lock.Lock) {
	t.Helper()
	st, l := bundletest.Release(t, 300)
	bundletest.Prove(t, st, l, key)
	return st, l
}

// TestMakeTwice makes the same evidence twice, in two stores, with a key in memory.
func TestMakeTwice(t *testing.T) {
	key := bundletest.Key(t)
	_, a := withEvidence(t, key)
	_, b := withEvidence(t, key)
	for n, i := range a.Images {
		if !slices.Equal(i.Referrers, b.Images[n].Referrers) {
			t.Errorf("%s has other evidence the second time:\n%+v\n%+v", i.Name, i.Referrers, b.Images[n].Referrers)
		}
		if want := 3 * len(i.Documents()); len(i.Referrers) != want {
			t.Errorf("%s has %d referrers, want %d", i.Name, len(i.Referrers), want)
		}
	}
}

// TestReuse signs with random signatures, as a KMS does: a second time nothing is signed, neither
// with the records of the store nor with the referrers of the images.
func TestReuse(t *testing.T) {
	st, l := bundletest.Release(t, 300)
	random, asked := randomly(t)
	sign := func(st *store.Store, l *lock.Lock) []oci.Referrer {
		t.Helper()
		s, err := evidence.Reuse(st, l, random)
		if err != nil {
			t.Fatal(err)
		}
		statement := bundletest.Encoded(t, bundletest.Statement(t, l))
		m, err := evidence.Make(t.Context(), st, l, evidence.Documents{Statement: statement}, s)
		if err != nil {
			t.Fatal(err)
		}
		return m.Referrers[0]
	}
	first := sign(st, l)
	before := asked()
	if before == 0 {
		t.Fatal("nothing was signed")
	}
	if second := sign(st, l); !slices.Equal(first, second) || asked() != before {
		t.Errorf("the second time, %d more messages were signed", asked()-before)
	}
	// Another store, which has the referrers of the first image only.
	other, again := bundletest.Release(t, 300)
	again.Images = again.Images[:1]
	for _, r := range first {
		copyTree(t, st, other, r)
	}
	again.Images[0].Referrers = first
	statement := bundletest.Encoded(t, bundletest.Statement(t, l)) // the same
	s, err := evidence.Reuse(other, again, random)
	if err != nil {
		t.Fatal(err)
	}
	m, err := evidence.Make(t.Context(), other, again, evidence.Documents{Statement: statement}, s)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, m.Referrers[0]) || asked() != before {
		t.Errorf("on another machine, %d messages were signed", asked()-before)
	}
}

func copyTree(t *testing.T, from, to *store.Store, r oci.Referrer) {
	t.Helper()
	tree, complete, err := from.Tree(r.Descriptor())
	if err != nil || !complete {
		t.Fatal(complete, err)
	}
	for _, d := range append(tree.Blobs(), tree.Desc) {
		raw, err := from.Get(d)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := to.PutBytes(raw); err != nil {
			t.Fatal(err)
		}
	}
}

// randomly returns a signer whose signatures are random, and a counter of how often it was asked:
// a program, as for a KMS.
func randomly(t *testing.T) (s *signature.Signer, asked func() int) {
	t.Helper()
	dir := t.TempDir()
	private, public, program, log := filepath.Join(dir, "key.pem"), filepath.Join(dir, "key.pub"),
		filepath.Join(dir, "sign"), filepath.Join(dir, "log")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(hsmtest.New(private, public), os.WriteFile(program,
		fmt.Appendf(nil, "#!/bin/sh\necho >>'%s'\nexec '%s' sign '%s'\n", log, own, private), 0o755)); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(public)
	if err != nil {
		t.Fatal(err)
	}
	k, err := signature.ParsePublicKey(text)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = signature.Command(program, k); err != nil {
		t.Fatal(err)
	}
	return s, func() int {
		text, err := os.ReadFile(log)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return len(text)
	}
}
