package consumers

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestVerifier lets a containerd 2 pull from a registry with slipway as its image verifier: what a
// signed statement on the node names, and nothing else. Its configuration is the sample.
func TestVerifier(t *testing.T) {
	t.Parallel()
	node := t.TempDir()
	verifiers := filepath.Join(node, "bin")
	socket, ctr := testprog.Containerd2(t, verifierSample(t, node, verifiers))
	c := containerd{socket: socket, ctr: ctr, newer: true}
	key := bundletest.Key(t)
	st, l := bundletest.SignedRelease(t, 1000, key)
	b := bundletest.Opened(t, bundletest.Pack(t, st, l, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path)
	s := httptest.NewServer(registrytest.Handler())
	t.Cleanup(s.Close)
	host := s.Listener.Addr().String()
	if _, err := airgap.Push(t.Context(), []*bundle.Bundle{b}, airgap.PushOptions{Snapshot: true, To: host + "/mirror"}); err != nil {
		t.Fatal(err)
	}

	put := func(name string, text []byte, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(node, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(node, name), text, mode); err != nil {
			t.Fatal(err)
		}
	}
	put("keys/release.pub", key.Public.PEM(), 0o600)
	put("statements/demo.sigstore.json",
		bundletest.SignedStatement(t, key, bundletest.Encoded(t, bundletest.Statement(t, l))), 0o600)
	slipway, err := testprog.Slipway(t.Context(), node)
	if err != nil {
		t.Fatal(err)
	}
	put("slipway-verifier", []byte("#!/bin/sh\nexec "+slipway+" verifier -dir="+node+" \"$@\"\n"), 0o700)
	if err := os.Mkdir(verifiers, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(node, "slipway-verifier"),
		filepath.Join(verifiers, "slipway-verifier")); err != nil {
		t.Fatal(err)
	}

	agent, server := l.Images[0], l.Images[1]
	pull := func(name string) error {
		out, err := c.run(t.Context(), "verifier", "images", "pull", "--plain-http", "--platform", "linux/amd64", name)
		if err != nil {
			return &said{out}
		}
		return nil
	}
	for _, ref := range []string{
		"me/agent:1.2.3", "me/agent@" + agent.Digest.String(), "me/server:1.2.3",
		"library/pause:3.9",
	} {
		if err := pull(host + "/mirror/" + ref); err != nil {
			t.Errorf("%s: %v", ref, err)
		}
	}
	// one image under the name of another
	from, to := reference(t, host+"/mirror/me/agent:1.2.3"), reference(t, host+"/mirror/me/server:9")
	index, err := remote.Index(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.WriteIndex(to, index); err != nil {
		t.Fatal(err)
	}
	bundletest.Says(t, pull(to.Name()), "slipway-verifier", "the name was changed")
	// the statement of this release is gone, and that of another one is there
	s2 := bundletest.Statement(t, l)
	at := 0
	for n, sub := range s2.Subjects {
		if sub.Digest.SHA256 == server.Digest.Hex {
			at = n
		}
	}
	s2.Subjects = append(s2.Subjects[:at:at], s2.Subjects[at+1:]...)
	put("statements/demo.sigstore.json", bundletest.SignedStatement(t, key, bundletest.Encoded(t, s2)), 0o600)
	if err := pull(host + "/mirror/me/agent:1.2.3"); err != nil {
		t.Error(err)
	}
	bundletest.Says(t, pull(host+"/mirror/me/server:1.2.3"), "slipway-verifier", "no signed statement names",
		server.Digest.String())
	put("statements/demo.sigstore.json", []byte(strings.Repeat("x", 100)), 0o600)
	bundletest.Says(t, pull(host+"/mirror/me/agent:1.2.3"), "no signed statement names", "ignored")
}

// verifierSample writes docs/samples/policies/containerd.toml to a directory, for programs in
// another one, and returns its path.
func verifierSample(t *testing.T, dir, programs string) string {
	t.Helper()
	const file, place = "containerd.toml", "/opt/containerd/image-verifier/bin"
	text, err := os.ReadFile(filepath.Join("../../docs/samples/policies", file))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), place) != 1 {
		t.Fatalf("%s does not name %s once", file, place)
	}
	path := filepath.Join(dir, file)
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), place, programs)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func reference(t *testing.T, s string) name.Reference {
	t.Helper()
	ref, err := name.ParseReference(s)
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// said is what a program printed that failed.
type said struct{ text string }

func (s *said) Error() string { return s.text }
