package evidence_test

import (
	"bytes"
	"encoding/asn1"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/evidence"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/golden"
)

// attack tries to have something accepted that the maintainer has not released. It returns what
// the verifier says.
type attack struct {
	name string
	try  func(t *testing.T, w *world) error
}

// on attacks with a Sigstore bundle for every subject.
func on(bundle func(t *testing.T, w *world) []byte) func(*testing.T, *world) error {
	return func(t *testing.T, w *world) error { return w.signed(t, bundle(t, w)) }
}

// stated attacks with a statement that the real key has signed.
func stated(change func(s *provenance.Statement)) func(*testing.T, *world) error {
	return on(func(t *testing.T, w *world) []byte {
		return bundletest.SignedStatement(t, w.key, w.statement(t, change))
	})
}

// dependent attacks with a statement whose dependencies are all of another kind: that a digest is
// in it does not make a third-party image of it.
func dependent(kind string) func(*testing.T, *world) error {
	return stated(func(s *provenance.Statement) {
		for n := range s.Predicate.BuildDefinition.ResolvedDependencies {
			s.Predicate.BuildDefinition.ResolvedDependencies[n].Annotations.Kind = kind
		}
	})
}

// forged attacks with a Sigstore bundle whose envelope was changed.
func forged(change func(e *envelope)) func(*testing.T, *world) error {
	return on(func(t *testing.T, w *world) []byte { return w.forge(t, change) })
}

// packed attacks with the signed bundle, some entries of which were changed.
func packed(change func(t *testing.T, e []bundletest.Forged)) func(*testing.T, *world) error {
	return func(t *testing.T, w *world) error {
		e := bundletest.Clone(bundletest.Headers(t, w.attach(t, w.key64).pack(t)))
		change(t, e)
		_, err := verify(t, policy(w.key), bundletest.Write(t, bundletest.Forge(t, e)))
		return err
	}
}

// replaced attacks with another text in index.json.
func replaced(from, to string) func(*testing.T, *world) error {
	return packed(func(t *testing.T, e []bundletest.Forged) {
		t.Helper()
		changed := bytes.ReplaceAll(e[2].Data, []byte(from), []byte(to))
		if bytes.Equal(changed, e[2].Data) {
			t.Fatalf("index.json has no %q", from)
		}
		e[2].Data = changed
	})
}

// relisted attacks with a lock of which the statement knows nothing.
func relisted(change func(t *testing.T, w *world)) func(*testing.T, *world) error {
	return func(t *testing.T, w *world) error {
		text := w.key64
		change(t, w)
		return w.signed(t, text)
	}
}

// inDirectory attacks the directory of the release.
func inDirectory(change func(t *testing.T, w *world, dir string)) func(*testing.T, *world) error {
	return func(t *testing.T, w *world) error {
		dir := w.directory(t)
		change(t, w, dir)
		_, err := evidence.VerifyDir(t.Context(), dir, policy(w.key), nil)
		return err
	}
}

func remove(t *testing.T, dir string, names ...string) {
	t.Helper()
	for _, name := range names {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// equal names attacks that are the same to a verifier as another one, which is refused by the same
// sentence.
var equal = map[string]string{
	"maintainer's statement named as the attacker's": "wrong key",
	"index with another child":                       "image of another signed release",
	"subject removed from the signed text":           "key of the attacker named as the maintainer's",
	"signature without PAE":                          "key of the attacker named as the maintainer's",
	"unknown external parameter":                     "duplicate key in the statement",
	"PAE confusion":                                  "another payload type",
	"third-party image added":                        "third-party image exchanged",
	"base image for a third-party image":             "third-party image exchanged",
}

var attacks = []attack{
	{"wrong key", func(t *testing.T, w *world) error {
		_, err := verify(t, policy(w.other), w.attach(t, w.key64).pack(t))
		return err
	}},
	{"key of the attacker named as the maintainer's", on(func(t *testing.T, w *world) []byte {
		mine := bundletest.SignedStatement(t, w.other, w.sealed)
		return bytes.ReplaceAll(mine, []byte(w.other.Public.Hint()), []byte(w.key.Public.Hint()))
	})},
	{"maintainer's statement named as the attacker's", on(func(_ *testing.T, w *world) []byte {
		return bytes.ReplaceAll(w.key64, []byte(w.key.Public.Hint()), []byte(w.other.Public.Hint()))
	})},
	{"all evidence stripped", func(t *testing.T, w *world) error {
		_, err := verify(t, policy(w.key), w.pack(t))
		return err
	}},
	{"evidence of one image stripped", func(t *testing.T, w *world) error {
		w.attach(t, w.key64)
		w.l.Images[1].Referrers = nil
		_, err := verify(t, policy(w.key), w.pack(t))
		return err
	}},
	{"images signed with different keys", func(t *testing.T, w *world) error {
		w.attach(t, bundletest.SignedStatement(t, w.other, w.sealed))
		theirs := w.l.Images[1].Referrers
		for n := range w.l.Images {
			w.l.Images[n].Referrers = nil
		}
		w.attach(t, w.key64)
		w.l.Images[1].Referrers = theirs
		_, err := verify(t, policy(w.key, w.other), w.pack(t))
		return err
	}},
	{"only a keyless bundle left", on(func(*testing.T, *world) []byte {
		return []byte(
			`{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","verificationMaterial":{"certificate":{"rawBytes":"AA=="}}}`)
	})},
	{"statement of another version", stated(func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ExternalParameters.Version = "9.9.9"
	})},
	{"statement of another product", stated(func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ExternalParameters.Name = "another"
	})},
	{"statement of another time", stated(func(s *provenance.Statement) {
		p := &s.Predicate.BuildDefinition.ExternalParameters
		p.Created = p.Created.AddDate(1, 0, 0)
	})},
	{"bundle that claims another version", replaced(`.version":"1.2.3"`, `.version":"9.9.9"`)},
	{"bundle that claims another product", replaced(`"demo"`, `"omed"`)},
	{"image of another signed release", func(t *testing.T, w *world) error {
		later := bundletest.Later(t, w.st, w.l)
		bundletest.Attach(t,
			w.st, later, bundletest.SignedStatement(t, w.key, bundletest.Encoded(t, bundletest.Statement(t, later))))
		for n := range later.Images {
			if later.Images[n].Tags != nil {
				later.Images[n].Tags = []string{w.l.Version}
			}
		}
		w.attach(t, w.key64)
		w.l.Images[1].Digest, w.l.Images[1].Size, w.l.Images[1].Children = later.Images[1].Digest, later.Images[1].Size,
			later.Images[1].Children
		w.l.Images[1].Referrers = later.Images[1].Referrers
		_, err := verify(t, policy(w.key), w.pack(t))
		return err
	}},
	{"bundles of two signed releases", func(t *testing.T, w *world) error {
		first := w.attach(t, w.key64).pack(t)
		later := bundletest.Later(t, w.st, newWorld(t).l)
		bundletest.Attach(t,
			w.st, later, bundletest.SignedStatement(t, w.key, bundletest.Encoded(t, bundletest.Statement(t, later))))
		second := bundletest.Pack(t, w.st, later, t.TempDir(), airgap.Target{Name: "demo-images"})[0].Path
		_, err := verify(t, policy(w.key), first, second)
		return err
	}},
	{"older release", func(t *testing.T, w *world) error {
		r, err := verify(t, policy(w.key), w.attach(t, w.key64).pack(t))
		if err != nil {
			t.Fatal(err)
		}
		runs := *r.Statement
		runs.Predicate.BuildDefinition.ExternalParameters.Version = "1.10.0"
		return r.CheckSince(&runs)
	}},
	{"older build of the same version", func(t *testing.T, w *world) error {
		r, err := verify(t, policy(w.key), w.attach(t, w.key64).pack(t))
		if err != nil {
			t.Fatal(err)
		}
		runs := *r.Statement
		p := &runs.Predicate.BuildDefinition.ExternalParameters
		p.Created = p.Created.AddDate(0, 0, 1)
		return r.CheckSince(&runs)
	}},
	{"floor of another product", func(t *testing.T, w *world) error {
		r, err := verify(t, policy(w.key), w.attach(t, w.key64).pack(t))
		if err != nil {
			t.Fatal(err)
		}
		runs := *r.Statement
		runs.Predicate.BuildDefinition.ExternalParameters.Name = "another"
		return r.CheckSince(&runs)
	}},
	{"index with another child", relisted(func(t *testing.T, w *world) {
		later := bundletest.Later(t, w.st, w.l)
		i, evil := &w.l.Images[1], later.Images[1]
		i.Digest, i.Size, i.Children = evil.Digest, evil.Size, evil.Children
	})},
	{"image that the release does not have", relisted(func(t *testing.T, w *world) {
		more := bundletest.Later(t, w.st, w.l).Images
		w.l.Images = append(w.l.Images, more[len(more)-1])
	})},
	{"child that the signed statement does not name", stated(func(s *provenance.Statement) {
		at := slices.IndexFunc(s.Subjects, func(s provenance.Subject) bool {
			return strings.HasSuffix(s.Name, "/agent:1.2.3 linux/amd64")
		})
		s.Subjects = slices.Delete(s.Subjects, at, at+1)
	})},
	{"child of another index", stated(func(s *provenance.Statement) {
		at := slices.IndexFunc(s.Subjects, func(s provenance.Subject) bool {
			return strings.HasSuffix(s.Name, "/agent:1.2.3 linux/amd64")
		})
		s.Subjects[at].Annotations.Index = []string{strings.Repeat("0", 64)}
	})},
	{"chart for an image", stated(func(s *provenance.Statement) {
		at := slices.IndexFunc(s.Subjects, func(s provenance.Subject) bool { return s.Annotations.Kind == "index" })
		s.Subjects[at].Annotations.Kind = "chart"
	})},
	{"subject removed from the signed text", on(func(t *testing.T, w *world) []byte {
		return w.forge(t, func(e *envelope) {
			s := bundletest.Statement(t, w.l)
			s.Subjects = s.Subjects[1:]
			e.Envelope.Payload = bundletest.Encoded(t, s)
		})
	})},
	{"names of two images exchanged", relisted(func(_ *testing.T, w *world) {
		a, b := &w.l.Images[0], &w.l.Images[1]
		a.Repository, b.Repository = b.Repository, a.Repository
	})},
	{"third-party image exchanged", relisted(func(t *testing.T, w *world) {
		t.Helper()
		w.l.ThirdParty[0] = bundletest.Sidecar(t, w.st)
		w.l.ThirdParty[0].Reference = "pause:3.9"
	})},
	{"third-party image added", relisted(func(t *testing.T, w *world) {
		t.Helper()
		side := bundletest.Sidecar(t, w.st)
		side.Reference = "registry.example/me/agent:9"
		w.l.ThirdParty = append(w.l.ThirdParty, side)
	})},
	{"third-party image by another name", relisted(func(_ *testing.T, w *world) {
		w.l.ThirdParty[0].Reference = "quay.io/evil/pause:3.9"
	})},
	{"snapshot signed by the real key", stated(func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ExternalParameters.Registries = nil
	})},
	{"snapshot with a registry signed by the real key", stated(func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ExternalParameters.Registries = []string{"slipway.local"}
	})},
	{"stub base signed by the real key", stated(func(s *provenance.Statement) {
		s.Predicate.BuildDefinition.ResolvedDependencies[0].Annotations.Stub = true
	})},
	{"base image for a third-party image", dependent(provenance.KindBase)},
	{"floating tag of another repository", func(t *testing.T, w *world) error {
		path := w.floating(t).pack(t)
		if _, err := verify(t, policy(w.key), path); err != nil {
			t.Fatal(err)
		}
		e := bundletest.Clone(bundletest.Headers(t, path))
		e[2].Data = bytes.ReplaceAll(e[2].Data, []byte("registry.example/me/agent:latest"),
			[]byte("registry.example/me/other:latest"))
		e[0].Data = bytes.ReplaceAll(e[0].Data, []byte("registry.example/me/agent:latest"),
			[]byte("registry.example/me/other:latest"))
		_, err := verify(t, policy(w.key), bundletest.Write(t, bundletest.Forge(t, e)))
		return err
	}},
	{"manifest under the name of its index", relisted(func(_ *testing.T, w *world) {
		i := &w.l.Images[0]
		c := i.Children[0]
		i.Digest, i.Size, i.MediaType, i.Children = c.Digest, c.Size, c.MediaType, i.Children[:1]
	})},
	{"bundle of a snapshot", func(t *testing.T, w *world) error {
		w.l.Snapshot = true
		return w.signed(t, w.key64)
	}},
	{"two keys asked for, one has signed", func(t *testing.T, w *world) error {
		p := policy(w.key, w.other)
		p.Threshold = 2
		_, err := verify(t, p, w.attach(t, w.key64).pack(t))
		return err
	}},
	{"one key given twice", func(t *testing.T, w *world) error {
		p := policy(w.key, w.key)
		p.Threshold = 2
		_, err := verify(t, p, w.attach(t, w.key64).pack(t))
		return err
	}},
	{"threshold above the keys", func(t *testing.T, w *world) error {
		p := policy(w.key)
		p.Threshold = 2
		_, err := verify(t, p, w.attach(t, w.key64).pack(t))
		return err
	}},
	{"second builder made something else", func(t *testing.T, w *world) error {
		w.attach(t, w.key64)
		second := w.statement(t, func(s *provenance.Statement) {
			s.Subjects = append(s.Subjects,
				provenance.Subject{
					Name: "release.yaml", Digest: provenance.Digest{SHA256: strings.Repeat("f", 64)},
					Annotations: provenance.Annotations{Kind: "file"},
				})
		})
		p := policy(w.key, w.other)
		p.Threshold = 2
		_, err := verify(t, p, w.attach(t, bundletest.SignedStatement(t, w.other, second)).pack(t))
		return err
	}},
	{"second builder gave another name", func(t *testing.T, w *world) error {
		w.attach(t, w.key64)
		second := w.statement(t, func(s *provenance.Statement) {
			at := slices.IndexFunc(s.Subjects, func(s provenance.Subject) bool { return s.Annotations.Kind == "index" })
			s.Subjects[at].Annotations.Names = append(s.Subjects[at].Annotations.Names, "registry.example/me/other:1")
		})
		p := policy(w.key, w.other)
		p.Threshold = 2
		_, err := verify(t, p, w.attach(t, bundletest.SignedStatement(t, w.other, second)).pack(t))
		return err
	}},
	{"duplicate key in the Sigstore bundle", on(func(_ *testing.T, w *world) []byte {
		return bytes.Replace(w.key64, []byte(`{"mediaType":`), []byte(`{"mediaType":"","mediaType":`), 1)
	})},
	{"duplicate key in the statement", on(func(t *testing.T, w *world) []byte {
		return bundletest.SignedStatement(t, w.key,
			bytes.Replace(w.sealed, []byte(`{"_type":`), []byte(`{"subject":[],"_type":`), 1))
	})},
	{"unknown external parameter", on(func(t *testing.T, w *world) []byte {
		return bundletest.SignedStatement(t, w.key, bytes.Replace(w.sealed, []byte(`"externalParameters":{`),
			[]byte(`"externalParameters":{"source":"evil",`), 1))
	})},
	{
		"another build type",
		stated(func(s *provenance.Statement) { s.Predicate.BuildDefinition.BuildType = "https://evil.example" }),
	},
	{"no subjects", stated(func(s *provenance.Statement) { s.Subjects = []provenance.Subject{} })},
	{
		"two DSSE signatures",
		forged(func(e *envelope) { e.Envelope.Signatures = append(e.Envelope.Signatures, e.Envelope.Signatures[0]) }),
	},
	{"no DSSE signature", forged(func(e *envelope) { e.Envelope.Signatures = nil })},
	{"another payload type", forged(func(e *envelope) { e.Envelope.PayloadType = "application/json" })},
	{"PAE confusion", forged(func(e *envelope) {
		// what was signed is "… 28 application/vnd.in-toto+json N {…": let the payload type take
		// a part of it
		e.Envelope.PayloadType += " " + string(e.Envelope.Payload[:4])
		e.Envelope.Payload = e.Envelope.Payload[4:]
	})},
	{"signature without PAE", on(func(t *testing.T, w *world) []byte {
		return w.forge(t, func(e *envelope) {
			sig, err := w.key.Sign(t.Context(), w.sealed)
			if err != nil {
				t.Fatal(err)
			}
			e.Envelope.Signatures[0].Sig = sig
		})
	})},
	{"malleated signature", forged(func(e *envelope) {
		var p struct{ R, S *big.Int }
		if _, err := asn1.Unmarshal(e.Envelope.Signatures[0].Sig, &p); err != nil {
			panic(err)
		}
		order, _ := new(big.Int).SetString("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", 16)
		p.S.Sub(order, p.S)
		e.Envelope.Signatures[0].Sig, _ = asn1.Marshal(p)
	})},
	{
		"signature that is not DER",
		forged(func(e *envelope) { e.Envelope.Signatures[0].Sig = bytes.Repeat([]byte{1}, 64) }),
	},
	{"signature that is too long", forged(func(e *envelope) {
		e.Envelope.Signatures[0].Sig = append(e.Envelope.Signatures[0].Sig, make([]byte, 8)...)
	})},
	{"signature of a file for a statement", on(func(t *testing.T, w *world) []byte {
		b, err := signature.SignFile(t.Context(), w.key, w.sealed)
		if err != nil {
			t.Fatal(err)
		}
		return b
	})},
	{
		"oversized bundle",
		on(func(*testing.T, *world) []byte { return bytes.Repeat([]byte(" "), signature.MaxBundle+1) }),
	},
	{"too many bundles", func(t *testing.T, w *world) error {
		t.Cleanup(evidence.SetMaxBundles(8))
		i := &w.l.Images[0]
		for n := range 9 {
			i.Referrers = append(i.Referrers, bundletest.BundleOf(t, w.st,
				append([]byte{'{', byte('a' + n%26), byte('a' + n/26)}, w.key64...), i.Descriptor(), i.Digest))
		}
		_, err := verify(t, policy(w.key), w.pack(t))
		return err
	}},
	{"SBOM of another image", func(t *testing.T, w *world) error {
		w.attach(t, w.key64)
		text := `{"_type":"https://in-toto.io/Statement/v1","subject":[{"name":"x","digest":{"sha256":"` +
			strings.Repeat("0", 64) + `"}}],"predicateType":"https://spdx.dev/Document","predicate":{}}`
		i := &w.l.Images[0]
		i.Referrers = append(i.Referrers,
			bundletest.BundleOf(t, w.st, bundletest.SignedStatement(t, w.key, []byte(text)), i.Descriptor(), i.Digest))
		_, err := verify(t, policy(w.key), w.pack(t))
		return err
	}},
	{"layers of docker's list exchanged", packed(func(_ *testing.T, e []bundletest.Forged) {
		var all []map[string]any
		if err := json.Unmarshal(e[0].Data, &all); err != nil {
			panic(err)
		}
		all[0]["Layers"] = all[1]["Layers"]
		e[0].Data, _ = json.Marshal(all)
	})},
	{"annotation that only others read", replaced(`"schemaVersion":2,`, `"schemaVersion":2,"artifactType":"evil",`)},
	{"statement and bytes exchanged under one digest", packed(func(t *testing.T, e []bundletest.Forged) {
		t.Helper()
		for n := range e {
			if bytes.Contains(e[n].Data, []byte(`"dsseEnvelope"`)) {
				e[n].Data = bundletest.Flip(e[n].Data, 300, 1)
				return
			}
		}
		t.Fatal("the bundle has no statement")
	})},
	{"delta against a forged base", func(t *testing.T, w *world) error {
		old := w.attach(t, w.key64).pack(t)
		later := bundletest.Later(t, w.st, newWorld(t).l)
		bundletest.Attach(t,
			w.st, later, bundletest.SignedStatement(t, w.key, bundletest.Encoded(t, bundletest.Statement(t, later))))
		deltas, err := airgap.PackDelta(t.Context(), w.st, later, []airgap.Target{{Name: "demo-images"}}, []string{old},
			airgap.PackOptions{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		lacking := deltas[0].Contents.Delta.Lacking[0]
		e := bundletest.Clone(bundletest.Headers(t, old))
		for n := range e {
			if e[n].Name == bundletest.BlobName(lacking) {
				e[n].Data = bundletest.Flip(e[n].Data, len(e[n].Data)/2, 3)
			}
		}
		base := bundletest.Write(t, bundletest.Forge(t, e))
		dir := t.TempDir()
		_, err = bundle.Apply(t.Context(), deltas[0].Path, base, filepath.Join(dir, "made.tar.zst"),
			bundle.ApplyOptions{Check: func(d, b *bundle.Bundle) error {
				_, err := evidence.Verify([]evidence.Material{evidence.FromBundle("delta", d, b)}, policy(w.key))
				return err
			}})
		bundletest.Empty(t, dir)
		return err
	}},
	{"layout with another name", func(t *testing.T, w *world) error {
		b := bundletest.Opened(t, w.attach(t, w.key64).pack(t))
		dir := filepath.Join(t.TempDir(), "layout")
		i := b.Contents().Images[0]
		if _, err := b.Extract(t.Context(), i.Name, bundle.ExtractOptions{To: dir}); err != nil {
			t.Fatal(err)
		}
		index := filepath.Join(dir, "index.json")
		text, err := os.ReadFile(index)
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "index.json", strings.ReplaceAll(string(text), i.Name, b.Contents().Images[1].Name))
		layout, err := bundle.OpenImageLayout(dir)
		if err != nil {
			t.Fatal(err)
		}
		_, err = evidence.Verify([]evidence.Material{evidence.FromLayout("layout", layout)}, policy(w.key))
		return err
	}},
	{"checksums removed", inDirectory(func(t *testing.T, _ *world, dir string) { remove(t, dir, "SHA256SUMS") })},
	{"signatures of checksums removed", inDirectory(func(t *testing.T, _ *world, dir string) {
		remove(t, dir, "SHA256SUMS.sig", "SHA256SUMS.sigstore.json")
	})},
	{
		"statement removed from the directory",
		inDirectory(func(t *testing.T, _ *world, dir string) { remove(t, dir, "provenance.sigstore.json") }),
	},
	{"checksums changed", inDirectory(func(t *testing.T, _ *world, dir string) {
		write(t, dir, "SHA256SUMS", strings.Repeat("0", 64)+"  release.yaml\n")
	})},
	{"checksums changed, only openssl's signature left", inDirectory(func(t *testing.T, _ *world, dir string) {
		remove(t, dir, "SHA256SUMS.sigstore.json")
		write(t, dir, "SHA256SUMS", strings.Repeat("0", 64)+"  release.yaml\n")
	})},
	{"checksums signed by another key", inDirectory(func(t *testing.T, w *world, dir string) {
		w.key, w.other = w.other, w.key
		w.sums(t, dir)
		w.key, w.other = w.other, w.key
	})},
	{"openssl's signature with a newline more", inDirectory(func(t *testing.T, _ *world, dir string) {
		text, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS.sig"))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, "SHA256SUMS.sig", string(text)+"\n")
	})},
	{
		"file changed",
		inDirectory(func(t *testing.T, _ *world, dir string) { write(t, dir, "release.yaml", "kind: Secret\n") }),
	},
	{"signed checksums of a path outside", inDirectory(func(t *testing.T, w *world, dir string) {
		w.signSums(t, dir, strings.Repeat("0", 64)+"  ../release.yaml\n")
	})},
	{"checksums of another release than the statement", inDirectory(func(t *testing.T, w *world, dir string) {
		s := w.statement(t, func(s *provenance.Statement) {
			s.Subjects = append(s.Subjects,
				provenance.Subject{
					Name: "release.yaml", Digest: provenance.Digest{SHA256: strings.Repeat("f", 64)},
					Annotations: provenance.Annotations{Kind: "file"},
				})
		})
		write(t, dir, "provenance.sigstore.json", string(bundletest.SignedStatement(t, w.key, s)))
		w.sums(t, dir)
	})},
	{"statement of another release in the directory", inDirectory(func(t *testing.T, w *world, dir string) {
		s := w.statement(t, func(s *provenance.Statement) {
			s.Predicate.BuildDefinition.ExternalParameters.Version = "9.9.9"
		})
		write(t, dir, "provenance.sigstore.json", string(bundletest.SignedStatement(t, w.key, s)))
	})},
}

var (
	digests = regexp.MustCompile(`[0-9a-f]{64}`)
	keys    = regexp.MustCompile(`SHA256:[A-Za-z0-9+/]{43}`)
	dirs    = regexp.MustCompile(`/[^ :]*/`)
)

// plain replaces what differs from run to run.
func plain(s string) string {
	return dirs.ReplaceAllString(keys.ReplaceAllString(digests.ReplaceAllString(s, "DIGEST"), "KEY"), "DIR/")
}

// TestAttacks tries every attack. Each is refused by a sentence of its own, which states what is
// wrong.
func TestAttacks(t *testing.T) {
	extent.Plain(t)
	var all strings.Builder
	said := map[string]string{}
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			err := a.try(t, newWorld(t))
			if err == nil {
				t.Fatal("it was accepted")
			}
			first, _, _ := strings.Cut(plain(err.Error()), "\n")
			if other, twice := said[first]; twice && equal[a.name] != other {
				t.Errorf("the sentence is that of %q, too: %s", other, first)
			} else if !twice {
				said[first] = a.name
			}
			all.WriteString(a.name + "\n\t" + first + "\n")
		})
	}
	if len(attacks) < 30 {
		t.Errorf("only %d attacks", len(attacks))
	}
	if !t.Failed() || *update {
		golden.Compare(t, *update, "testdata/attacks.golden", all.String())
	}
}

// TestReal: the release that the attacks change is accepted as it is.
func TestReal(t *testing.T) {
	if err := newWorld(t).signed(t, made.key64); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	if _, err := evidence.VerifyDir(t.Context(), w.directory(t), policy(w.key), nil); err != nil {
		t.Fatal(err)
	}
}
