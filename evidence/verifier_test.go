package evidence_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
)

// node is a directory with the keys and statements of a node.
func node(t *testing.T, keys []*signature.Signer, statements ...[]byte) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range []string{"keys", "statements"} {
		if err := os.Mkdir(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for n, k := range keys {
		write(t, dir, "keys/"+string(rune('a'+n))+".pub", string(k.Public.PEM()))
	}
	for n, s := range statements {
		write(t, dir, "statements/"+string(rune('a'+n))+".sigstore.json", string(s))
	}
	return dir
}

// TestVerifier decides about images as containerd asks for them.
func TestVerifier(t *testing.T) {
	w := newWorld(t)
	agent, server, pause := w.l.Images[0], w.l.Images[1], w.l.ThirdParty[0]
	tool := w.l.ThirdParty[1]
	second := w.statement(t, func(s *provenance.Statement) {
		s.Predicate.RunDetails.Builder.ID = "https://builder.example/second"
	})
	differs := w.statement(t, func(s *provenance.Statement) { s.Subjects = s.Subjects[1:] })
	snapshot := w.statement(t, func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ExternalParameters.Registries = nil
	})
	evil := w.statement(t, func(s *provenance.Statement) {
		all := s.Predicate.BuildDefinition.ResolvedDependencies
		for _, d := range all {
			if d.Annotations.Kind == provenance.KindImage {
				d.Digest.SHA256 = hash("1").Hex
				all = append(all, d)
			}
		}
		s.Predicate.BuildDefinition.ResolvedDependencies = all
	})
	below := bundletest.SignedStatement(t, w.key, w.statement(t, func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ExternalParameters.Registries = []string{"registry.example/me", "registry.example"}
		for n := range s.Subjects {
			for k, of := range s.Subjects[n].Annotations.Names {
				s.Subjects[n].Annotations.Names[k] = strings.Replace(of, "/me/", "/me/demo/", 1)
			}
		}
	}))
	promoted := bundletest.SignedStatement(t, w.key, w.statement(t, func(s *provenance.Statement) {
		for n := range s.Subjects {
			for k, of := range s.Subjects[n].Annotations.Names {
				of = strings.Replace(of, "/me/agent", "/me/demo/agent", 1)
				s.Subjects[n].Annotations.Names[k] = strings.Replace(of, "/me/server", "/me/x/demo/agent", 1)
			}
		}
	}))
	other := bundletest.SignedStatement(t, w.other, second)
	third := bundletest.Key(t)
	one := []*signature.Signer{w.key}
	both := []*signature.Signer{w.key, w.other}
	for _, tc := range []struct {
		what       string
		keys       []*signature.Signer
		statements [][]byte
		threshold  int
		name       string
		digest     v1.Hash
		says       string // of what is accepted
		refuses    string
	}{
		{
			what: "by tag", keys: one, statements: [][]byte{w.key64}, name: agent.Tagged(), digest: agent.Digest,
			says: "part of the signed release",
		},
		{
			what: "by digest", keys: one, statements: [][]byte{w.key64}, name: agent.Reference(), digest: agent.Digest,
			says: "part of",
		},
		{
			what: "by both", keys: one, statements: [][]byte{w.key64}, name: agent.Tagged() + "@" + agent.Digest.String(),
			digest: agent.Digest, says: "part of",
		},
		{what: "a manifest", keys: one, statements: [][]byte{w.key64}, name: agent.Repository + "@" +
			agent.Children[1].Digest.String(), digest: agent.Children[1].Digest, says: "part of"},
		{
			what: "from a mirror", keys: one, statements: [][]byte{w.key64},
			name: "registry.internal:5000/mirror/me/agent:1.2.3", digest: agent.Digest, says: "part of",
		},
		{
			what: "promoted", keys: one, statements: [][]byte{promoted},
			name: "other.example/staging/demo/agent:1.2.3", digest: agent.Digest, says: "part of",
		},
		{
			what: "promoted to a registry itself, by digest", keys: one, statements: [][]byte{promoted},
			name: "other.example/demo/agent@" + agent.Digest.String(), digest: agent.Digest, says: "part of",
		},
		{
			what: "promoted, an image with a longer name", keys: one, statements: [][]byte{promoted},
			name: "other.example/x/demo/agent:1.2.3", digest: server.Digest, says: "part of",
		},
		{
			what: "the longer name of another image", keys: one, statements: [][]byte{promoted},
			name: "other.example/x/demo/agent:1.2.3", digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "the end of another word", keys: one, statements: [][]byte{promoted},
			name: "other.example/not-demo/agent:1.2.3", digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "promoted, of another product", keys: one, statements: [][]byte{promoted},
			name: "other.example/other/agent:1.2.3", digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "promoted, another image of the product", keys: one, statements: [][]byte{promoted},
			name: "other.example/demo/server:1.2.3", digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "promoted, with registries below each other", keys: one, statements: [][]byte{below},
			name: "other.example/demo/agent:1.2.3", digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "of others", keys: one, statements: [][]byte{w.key64}, name: "docker.io/library/pause:3.9",
			digest: pause.Digest, says: "as a third-party image",
		},
		{
			what: "of others by digest", keys: one, statements: [][]byte{w.key64},
			name: "registry.example/tool@" + tool.Digest.String(), digest: tool.Digest, says: "as a third-party image",
		},
		{
			what: "of others, listed by digest, by a tag", keys: one, statements: [][]byte{w.key64},
			name: "registry.example/tool:2.0", digest: tool.Digest, refuses: "the name was changed",
		},
		{
			what: "of others, listed by digest, by the default tag", keys: one, statements: [][]byte{w.key64},
			name: "registry.example/tool", digest: tool.Digest, refuses: "the name was changed",
		},
		{
			what: "the default tag", keys: one, statements: [][]byte{w.key64}, name: agent.Repository,
			digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "allowed", keys: one, name: "registry.internal/tools/sh:1",
			digest: hash("1"), says: "allowed without a statement",
		},
		{
			what: "allowed by itself", keys: one, name: "registry.k8s.io/pause:3.10", digest: hash("1"),
			says: "allowed without a statement",
		},
		{
			what: "two keys", keys: both, statements: [][]byte{w.key64, other}, threshold: 2, name: agent.Tagged(),
			digest: agent.Digest, says: "part of",
		},

		{what: "pinned to another digest", keys: one, statements: [][]byte{w.key64}, name: agent.Repository +
			"@" + server.Digest.String(), digest: agent.Digest, refuses: "is pinned to another digest than"},
		{
			what: "its index pinned, a manifest to be pulled", keys: one, statements: [][]byte{w.key64},
			name: agent.Tagged() + "@" + agent.Digest.String(), digest: agent.Children[1].Digest,
			refuses: "is pinned to another digest than",
		},
		{
			what: "pinned to no digest", keys: one, statements: [][]byte{w.key64}, name: agent.Tagged() + "@",
			digest: agent.Digest, refuses: "is pinned to another digest than",
		},
		{what: "pinned twice", keys: one, statements: [][]byte{w.key64}, name: agent.Reference() +
			"@" + server.Digest.String(), digest: agent.Digest, refuses: "is pinned to another digest than"},
		{what: "allowed, and pinned to another digest", keys: one, name: "registry.internal/tools/sh@" +
			hash("2").String(), digest: hash("1"), refuses: "is pinned to another digest than"},
		{
			what: "another digest", keys: one, statements: [][]byte{w.key64}, name: agent.Tagged(),
			digest: hash("1"), refuses: "no signed statement names",
		},
		{
			what: "another tag", keys: one, statements: [][]byte{w.key64}, name: agent.Repository + ":1.2.4",
			digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "another image", keys: one, statements: [][]byte{w.key64}, name: server.Tagged(),
			digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "another path", keys: one, statements: [][]byte{w.key64}, name: "registry.internal/other/agent:1.2.3",
			digest: agent.Digest, refuses: "the name was changed",
		},
		{
			what: "others by another name", keys: one, statements: [][]byte{w.key64}, name: "docker.io/evil/pause:3.9",
			digest: pause.Digest, refuses: "the name was changed",
		},
		{
			what: "next to what is allowed", keys: one, name: "registry.k8s.io/pause-evil:1", digest: hash("1"),
			refuses: "no signed statement",
		},
		{
			what: "what is allowed, as a prefix", keys: one, name: "registry.internal/toolsmith:1",
			digest: hash("1"), refuses: "no signed statement",
		},
		{what: "no statement", keys: one, name: agent.Tagged(), digest: agent.Digest, refuses: "no signed statement"},
		{
			what: "another key", keys: one, statements: [][]byte{other}, name: agent.Tagged(), digest: agent.Digest,
			refuses: "no key here has signed it",
		},
		{
			what: "one key of two", keys: both, statements: [][]byte{w.key64}, threshold: 2, name: agent.Tagged(),
			digest: agent.Digest, refuses: "1 of 2 keys have signed it",
		},
		{
			what: "twice by one key",
			keys: both, statements: [][]byte{w.key64, bundletest.SignedStatement(t, w.key, second)},
			threshold: 2, name: agent.Tagged(), digest: agent.Digest, refuses: "1 of 2 keys",
		},
		{
			what: "two keys that differ", keys: both,
			statements: [][]byte{w.key64, bundletest.SignedStatement(t, w.other, differs)}, threshold: 2,
			name: agent.Tagged(), digest: agent.Digest, refuses: "the two builders did not make the same",
		},
		{
			what: "two keys, of which one lists another image of others", keys: []*signature.Signer{w.other, w.key},
			statements: [][]byte{w.key64, bundletest.SignedStatement(t, w.other, evil)}, threshold: 2,
			name: "docker.io/library/pause:3.9", digest: hash("1"), refuses: "a third-party image",
		},
		{
			what: "three keys, of which the first differs", keys: []*signature.Signer{third, w.key, w.other},
			statements: [][]byte{bundletest.SignedStatement(t, third, differs), w.key64, other},
			threshold:  2, name: agent.Tagged(), digest: agent.Digest, says: "part of",
		},
		{
			what: "a snapshot", keys: one, statements: [][]byte{bundletest.SignedStatement(t, w.key, snapshot)},
			name: agent.Tagged(), digest: agent.Digest, refuses: "of a snapshot",
		},
		{
			what: "a flipped bit", keys: one, statements: [][]byte{bundletest.Flip(w.key64, len(w.key64)/2, 0)},
			name: agent.Tagged(), digest: agent.Digest, refuses: "no signed statement",
		},
		{what: "no keys", name: agent.Tagged(), digest: agent.Digest, refuses: "has no public key"},
		{
			what: "threshold above the keys", keys: one, threshold: 2, name: agent.Tagged(), digest: agent.Digest,
			refuses: "verifier.yaml: threshold: 2 needs as many keys: ",
		},
	} {
		v, err := evidence.OpenVerifier(node(t, tc.keys, tc.statements...),
			tc.threshold, []string{"registry.internal/tools/*", "registry.k8s.io/pause"})
		reason := ""
		if err == nil {
			reason, err = v.Decide(tc.name, tc.digest)
		}
		switch {
		case tc.refuses == "" && (err != nil || !strings.Contains(reason, tc.says)):
			t.Errorf("%s: %q, %v", tc.what, reason, err)
		case tc.refuses != "" && (err == nil || reason != "" || !strings.Contains(err.Error(), tc.refuses)):
			t.Errorf("%s: %q, %v", tc.what, reason, err)
		}
	}
	for _, allow := range []string{"*", "registry.example/*/x", "pause"} {
		if _, err := evidence.OpenVerifier(node(t, one), 1, []string{allow}); err == nil {
			t.Errorf("%q is accepted as a repository", allow)
		}
	}
}

func hash(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }

// TestVerifierKeys: a key that every user may write decides nothing.
func TestVerifierKeys(t *testing.T) {
	w := newWorld(t)
	dir := node(t, []*signature.Signer{w.key}, w.key64)
	if _, err := evidence.OpenVerifier(dir, 1, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "keys", "a.pub"), 0o666); err != nil {
		t.Fatal(err)
	}
	_, err := evidence.OpenVerifier(dir, 1, nil)
	bundletest.Says(t, err, "keys/a.pub may be written by everybody")
}
