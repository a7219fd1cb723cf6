package verifiers

import (
	"bytes"
	"encoding/base64"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// fileVerifiers verify SHA256SUMS in a directory by a key, as docs/policies.md and the page for
// operators call them.
var fileVerifiers = map[string]func(t *testing.T, dir, key string) error{
	"cosign verify-blob": func(t *testing.T, dir, key string) error {
		t.Helper()
		return run(exec.CommandContext(t.Context(), testprog.Built(t, "cosign", "cosign3"), "verify-blob", "--key="+key,
			"--insecure-ignore-tlog",
			"--bundle="+filepath.Join(dir, "SHA256SUMS.sigstore.json"), filepath.Join(dir, "SHA256SUMS")))
	},
	"cosign 2 verify-blob": func(t *testing.T, dir, key string) error {
		t.Helper()
		return run(exec.CommandContext(t.Context(), testprog.Built(t, "cosign", "cosign2"), "verify-blob", "--key="+key,
			"--insecure-ignore-tlog",
			"--signature="+filepath.Join(dir, "SHA256SUMS.sig"), filepath.Join(dir, "SHA256SUMS")))
	},
	"sigstore-js": func(t *testing.T, dir, key string) error {
		t.Helper()
		return run(node(t, "verify.cjs", key, filepath.Join(dir, "SHA256SUMS.sigstore.json"),
			filepath.Join(dir, "SHA256SUMS")))
	},
	"openssl": func(t *testing.T, dir, key string) error {
		t.Helper()
		testprog.Need(t, "openssl")
		sig, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS.sig"))
		if err != nil {
			t.Fatal(err)
		}
		der, err := base64.StdEncoding.DecodeString(string(bytes.TrimSpace(sig)))
		if err != nil {
			return err
		}
		message, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
		if err != nil {
			t.Fatal(err)
		}
		return dgst(t, key, der, message)
	},
}

// TestFiles: the signatures of SHA256SUMS are what other programs want, and of nothing else.
func TestFiles(t *testing.T) {
	s := theRelease(t)
	for name, verify := range fileVerifiers {
		t.Run(name, func(t *testing.T) {
			if err := verify(t, s.path("."), s.key()); err != nil {
				t.Error(err)
			}
			if err := verify(t, s.path("."), s.other()); err == nil {
				t.Error("another key was accepted")
			}
			for _, changed := range []string{"SHA256SUMS", "SHA256SUMS.sigstore.json", "SHA256SUMS.sig"} {
				dir := t.TempDir()
				for _, file := range []string{"SHA256SUMS", "SHA256SUMS.sigstore.json", "SHA256SUMS.sig"} {
					b, err := os.ReadFile(s.path(file))
					if err != nil {
						t.Fatal(err)
					}
					if file == changed {
						b[len(b)-20] ^= 1 // in a signature, or in a name
					}
					if err := os.WriteFile(filepath.Join(dir, file), b, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				reads := changed == "SHA256SUMS" ||
					(changed == "SHA256SUMS.sig") == (name == "openssl" || name == "cosign 2 verify-blob")
				if err := verify(t, dir, s.key()); (err == nil) == reads {
					t.Errorf("%s was changed: %v", changed, err)
				}
			}
		})
	}
}

// TestStatement: the provenance in dist/ is about a file as well.
func TestStatement(t *testing.T) {
	s := theRelease(t)
	cosign := testprog.Built(t, "cosign", "cosign3")
	for _, c := range []struct {
		key, file string
		ok        bool
	}{
		{s.key(), s.path("release.yaml"), true},
		{s.other(), s.path("release.yaml"), false},
		{s.key(), s.path("SHA256SUMS"), false},
	} {
		err := run(exec.CommandContext(t.Context(), cosign, "verify-blob-attestation", "--key="+c.key,
			"--insecure-ignore-tlog", "--type=slsaprovenance1",
			"--bundle="+s.path("provenance.sigstore.json"), c.file))
		if (err == nil) != c.ok {
			t.Errorf("%s with %s: %v", filepath.Base(c.file), filepath.Base(c.key), err)
		}
	}
}
