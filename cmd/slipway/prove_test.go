package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// signedReleases makes two releases of a product by one key, each in a directory (old, new) with
// signed checksums, a delta, and the public keys of the maintainer and of another user in keys.
func signedReleases(t *testing.T, ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: signedreleases")
	}
	key, other := bundletest.Key(t), bundletest.Key(t)
	keys := ts.MkAbs("keys")
	ts.Check(os.MkdirAll(keys, 0o755))
	ts.Check(os.WriteFile(filepath.Join(keys, "release.pub"), key.Public.PEM(), 0o600))
	ts.Check(os.WriteFile(filepath.Join(keys, "other.pub"), other.Public.PEM(), 0o600))
	st, l := bundletest.Release(t, 3000)
	later := bundletest.Later(t, st, l)
	later.Images = slices.DeleteFunc(slices.Clone(later.Images), func(i lock.Image) bool { return i.Name == "more" })
	later.Images[0].Referrers = nil
	old := writeRelease(t, ts, key, st, l, "old")
	writeRelease(t, ts, key, st, later, "new")
	if _, err := airgap.PackDelta(t.Context(), st, later, []airgap.Target{{Name: "demo-images"}},
		[]string{filepath.Join(old, "demo-images.tar.zst")}, airgap.PackOptions{Dir: ts.MkAbs("new")}); err != nil {
		t.Fatal(err)
	}
}

// writeRelease writes the files of a release as release does.
func writeRelease(t *testing.T, ts *testscript.TestScript, key *signature.Signer, st *store.Store,
	l *lock.Lock, name string,
) string {
	t.Helper()
	dir := ts.MkAbs(name)
	ts.Check(os.MkdirAll(dir, 0o755))
	manifest := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: demo\nspec:\n  os:\n    name: " +
		"linux\n  nodeSelector:\n " +
		"   kubernetes.io/os: linux\n  containers:\n  - name: agent\n    image: " + l.Images[0].Reference() + "\n"
	s := bundletest.Statement(t, l, provenance.File{Name: "release.yaml", SHA256: bundletest.Sum([]byte(manifest))})
	sigstore := bundletest.SignedStatement(t, key, bundletest.Encoded(t, s))
	bundletest.Attach(t, st, l, sigstore)
	bundletest.Pack(t, st, l, dir, airgap.Target{Name: "demo-images"},
		airgap.Target{Name: "demo-images.linux-amd64", Platform: bundletest.Parse(t, "linux/amd64")})
	ts.Check(os.WriteFile(filepath.Join(dir, "release.yaml"), []byte(manifest), 0o600))
	ts.Check(os.WriteFile(filepath.Join(dir, "provenance.sigstore.json"), sigstore, 0o600))
	ts.Check(l.Write(filepath.Join(dir, lock.Name)))
	var sums strings.Builder
	files, err := os.ReadDir(dir)
	ts.Check(err)
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		ts.Check(err)
		sums.WriteString(bundletest.Sum(text) + "  " + f.Name() + "\n")
	}
	bundle, err := signature.SignFile(t.Context(), key, []byte(sums.String()))
	ts.Check(err)
	plain, err := signature.SignPlain(t.Context(), key, []byte(sums.String()))
	ts.Check(err)
	ts.Check(os.WriteFile(filepath.Join(dir, "SHA256SUMS"), []byte(sums.String()), 0o600))
	ts.Check(os.WriteFile(filepath.Join(dir, "SHA256SUMS.sigstore.json"), bundle, 0o600))
	ts.Check(os.WriteFile(filepath.Join(dir, "SHA256SUMS.sig"), plain, 0o600))
	return dir
}
