package evidence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// FuzzStatement reads files as signed statements: nothing but what the key signed is accepted,
// and nothing untrusted is printed raw.
func FuzzStatement(f *testing.F) {
	key := bundletest.FixedKey(f)
	_, l := bundletest.Release(f, 10)
	good := bundletest.SignedStatement(f, key, bundletest.Encoded(f, bundletest.Statement(f, l)))
	f.Add(string(good))
	f.Add(strings.Replace(string(good), `"payloadType"`, `"payloadType":"","payloadType"`, 1))
	f.Add(`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "x.sigstore.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := evidence.ReadStatements([]string{path}, policy(key))
		if (err == nil) != (text == string(good)) {
			t.Errorf("%v", err)
		}
	})
}

// FuzzSums reads signed checksums: whatever they are, no file outside of the directory is named.
func FuzzSums(f *testing.F) {
	key := bundletest.FixedKey(f)
	w := &world{key: key}
	_, l := bundletest.Release(f, 10)
	statement := bundletest.SignedStatement(f, key, bundletest.Encoded(f,
		bundletest.Statement(f, l, provenance.File{Name: "a", SHA256: bundletest.Sum([]byte("a"))})))
	f.Add(bundletest.Sum([]byte("a")) + "  a\n")
	f.Add(bundletest.Sum([]byte("a")) + "  ../a\n")
	f.Add(bundletest.Sum([]byte("a")) + " *a\n\n")
	f.Fuzz(func(t *testing.T, sums string) {
		dir := t.TempDir()
		write(t, dir, "provenance.sigstore.json", string(statement))
		write(t, dir, "a", "a")
		w.signSums(t, dir, sums)
		r, err := evidence.VerifyDir(t.Context(), dir, policy(key), nil)
		if err != nil {
			return
		}
		for _, name := range r.Files.Absent {
			if !filepath.IsLocal(name) {
				t.Errorf("%q is a file of the release", name)
			}
		}
	})
}
