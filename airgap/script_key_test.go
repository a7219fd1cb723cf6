package airgap_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestShellKey loads a release with the maintainer's key. Where the signature is not right, ctr
// is not called at all.
func TestShellKey(t *testing.T) {
	testprog.Need(t, "openssl")
	key, other := bundletest.Key(t), bundletest.Key(t)
	st, l := bundletest.Demo(t, 100)
	packed := t.TempDir()
	files := bundletest.Pack(t, st, l, packed, bundletest.Targets(t)...)
	all, err := airgap.Scripts(l.Name, l.Version, bundletest.Targets(t), files)
	if err != nil {
		t.Fatal(err)
	}
	keys := t.TempDir()
	put(t, filepath.Join(keys, "release.pub"), string(key.Public.PEM()))
	// ctr that only prints how it was called
	called := filepath.Join(keys, "called")
	put(t, filepath.Join(keys, "ctr"),
		"#!/bin/sh\necho \"$@\" >>"+called+"\ncase \"$*\" in *' -') cat >/dev/null ;; esac\n")
	for _, tc := range []struct {
		name   string
		change func(dir string)
		key    string
		says   string // "": it is loaded
	}{
		{name: "signed"},
		{name: "another key", key: "other", says: "is not a signature of SHA256SUMS by the key"},
		{name: "no key", key: "missing", says: "KEY="},
		{name: "key of the release", key: "beside", says: "is next to the bundles"},
		{name: "link to the key of the release", key: "link", says: "is next to the bundles"},
		{name: "key one directory up", key: "above", says: "is in a directory above the bundles"},
		{name: "link to a key one directory up", key: "link above", says: "is in a directory above the bundles"},
		{name: "key below the release", key: "below", says: "is next to the bundles"},
		{name: "key that everybody may write", key: "shared", says: "may be written by everybody"},
		{
			name: "key in a directory that everybody may write", key: "shared directory",
			says: "where everybody may exchange it",
		},
		{name: "statement of the release", change: func(dir string) {
			put(t, filepath.Join(dir, "provenance.sigstore.json"), "new")
		}},
		{name: "statement of another release", change: func(dir string) {
			put(t, filepath.Join(dir, "provenance.sigstore.json"), "other")
		}, says: "provenance.sigstore.json has the checksum"},
		{name: "lock of another release", change: func(dir string) {
			put(t, filepath.Join(dir, "release.lock.json"), "other")
		}, says: "SHA256SUMS does not name release.lock.json"},
		{name: "script of another release", change: func(dir string) {
			text, err := os.ReadFile(filepath.Join(dir, "load-images.sh"))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, "load-images.sh"), strings.Replace(string(text), "1.2.3", "1.2.4", 1))
		}, says: "load-images.sh has the checksum"},
		{name: "signature removed", change: func(dir string) {
			gone(t, filepath.Join(dir, "SHA256SUMS.sig"))
		}, says: "SHA256SUMS.sig is missing"},
		{name: "signature that is no base64", change: func(dir string) {
			put(t, filepath.Join(dir, "SHA256SUMS.sig"), "?!\n")
		}, says: "is not base64"},
		{name: "checksums changed", change: func(dir string) {
			text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, "SHA256SUMS"), string(bundletest.Flip(text, 3, 0)))
		}, says: "is not a signature of SHA256SUMS by the key"},
		{name: "bundle changed", change: func(dir string) {
			for _, f := range files {
				text, err := os.ReadFile(f.Path)
				if err != nil {
					t.Fatal(err)
				}
				put(t, filepath.Join(dir, filepath.Base(f.Path)), string(bundletest.Flip(text, len(text)/2, 0)))
			}
		}, says: "copy it again"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			var sums strings.Builder
			for _, f := range files {
				sums.WriteString(f.SHA256 + "  " + filepath.Base(f.Path) + "\n")
				if err := os.Link(f.Path, filepath.Join(dir, filepath.Base(f.Path))); err != nil {
					t.Fatal(err)
				}
			}
			for _, s := range all {
				put(t, filepath.Join(dir, s.Name), string(s.Data))
				sums.WriteString(bundletest.Sum(s.Data) + "  " + s.Name + "\n")
			}
			sums.WriteString(bundletest.Sum([]byte("new")) + "  provenance.sigstore.json\n")
			sig, err := signature.SignPlain(t.Context(), key, []byte(sums.String()))
			if err != nil {
				t.Fatal(err)
			}
			put(t, filepath.Join(dir, "SHA256SUMS"), sums.String())
			put(t, filepath.Join(dir, "SHA256SUMS.sig"), string(sig))
			put(t, filepath.Join(dir, "beside.pub"), string(key.Public.PEM()))
			name := filepath.Join(keys, "release.pub")
			switch tc.key {
			case "other":
				name = filepath.Join(t.TempDir(), "other.pub")
				put(t, name, string(other.Public.PEM()))
			case "missing":
				name = filepath.Join(keys, "nothing.pub")
			case "beside":
				name = filepath.Join(dir, "beside.pub")
			case "above":
				name = filepath.Join(filepath.Dir(dir), "above.pub")
				put(t, name, string(key.Public.PEM()))
			case "below":
				name = filepath.Join(dir, "keys", "below.pub")
				if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				put(t, name, string(key.Public.PEM()))
			case "shared", "shared directory":
				name = filepath.Join(t.TempDir(), "shared", "shared.pub")
				if err := os.Mkdir(filepath.Dir(name), 0o755); err != nil {
					t.Fatal(err)
				}
				put(t, name, string(key.Public.PEM()))
				shared := name
				if tc.key != "shared" {
					shared = filepath.Dir(name)
				}
				if err := os.Chmod(shared, 0o777); err != nil {
					t.Fatal(err)
				}
			case "link", "link above":
				name = filepath.Join(t.TempDir(), "link.pub")
				to := filepath.Join(dir, "beside.pub")
				if tc.key != "link" {
					to = filepath.Join(filepath.Dir(dir), "above.pub")
					put(t, to, string(key.Public.PEM()))
				}
				if err := os.Symlink(to, name); err != nil {
					t.Fatal(err)
				}
			}
			if tc.change != nil {
				tc.change(dir)
			}
			gone(t, called)
			cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "load-images.sh"))
			cmd.Env = append(os.Environ(), "SNAPSHOT=yes", "KEY="+name, "CTR="+filepath.Join(keys, "ctr"), "TMPDIR="+t.TempDir())
			out, err := cmd.CombinedOutput()
			_, imported := os.Stat(called)
			switch {
			case tc.says == "" && (err != nil || imported != nil ||
				!strings.Contains(string(out), "verified: SHA256SUMS is signed by "+name+", and is of demo 1.2.3\n")):
				t.Errorf("%v\n%s", err, out)
			case tc.says != "" && (err == nil || imported == nil || !strings.Contains(string(out), tc.says) ||
				strings.Count(string(out), "\n") != 1 && !strings.Contains(string(out), "verified")):
				t.Errorf("%v, ctr was called: %v\n%s", err, imported == nil, out)
			}
		})
	}
}

// put replaces a file, which may be a link to another one.
func put(t *testing.T, path, text string) {
	t.Helper()
	gone(t, path)
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// gone removes a file, if there is one.
func gone(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}
