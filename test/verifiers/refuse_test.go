package verifiers

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/internal/signature"
)

const signatureAnnotation = "dev.cosignproject.cosign/signature"

// attacks are what an attacker who can write to a registry can do to an image: to push it, and
// its evidence, elsewhere and otherwise.
var attacks = []struct {
	name   string
	change func(*testing.T, artifact) artifact
	other  bool // another image gets the evidence
}{
	{name: "a statement was changed", change: changeStatement},
	{name: "a signature was changed", change: changeSignature},
	{name: "the evidence is of another image", change: func(_ *testing.T, a artifact) artifact {
		return a
	}, other: true},
}

// TestRefuse: every verifier refuses another key, and each attack.
func TestRefuse(t *testing.T) {
	s := theRelease(t)
	for _, sub := range s.subjects() {
		t.Run("another key/"+sub.name, func(t *testing.T) {
			refused(t, s.other(), s.repository(t, registries()[0].host).Digest(sub.digest.String()))
		})
	}
	for _, a := range attacks {
		host := ours().host
		for _, sub := range s.subjects() {
			t.Run(a.name+"/"+sub.name, func(t *testing.T) {
				from, to := s.repository(t, registries()[0].host), s.repository(t, host)
				d := copied(t, from, to, sub, a.other)
				for _, e := range evidence(t, from, sub.digest) {
					a.change(t, e).store(t, to, d)
				}
				refused(t, s.key(), to.Digest(d.Digest.String()))
			})
		}
	}
	t.Run("no evidence", func(t *testing.T) {
		from, to := s.repository(t, registries()[0].host), s.repository(t, ours().host)
		for _, sub := range s.subjects() {
			d := copied(t, from, to, sub, false)
			for _, v := range verifiers {
				if v.bundles() {
					continue
				}
				t.Run(sub.name+"/"+v.name+"/"+v.call, func(t *testing.T) {
					refuses(t, v, s.key(), to.Digest(d.Digest.String()))
				})
			}
		}
	})
}

// refused asks every verifier, each of which has to refuse.
func refused(t *testing.T, key string, ref name.Digest) {
	t.Helper()
	for _, v := range verifiers {
		t.Run(v.name+"/"+v.call, func(t *testing.T) { refuses(t, v, key, ref) })
	}
}

// refuses: a verifier refuses because of the evidence, not because something is missing.
func refuses(t *testing.T, v verifier, key string, ref name.Digest) {
	t.Helper()
	err := v.ask(t, key, ref)
	if err == nil {
		t.Fatal("it was accepted")
	}
	for _, other := range []string{
		"no such host", "connection refused", "NAME_UNKNOWN", "usage:",
		"unknown flag", "no such file",
	} {
		if strings.Contains(err.Error(), other) {
			t.Errorf("it was refused for another reason: %v", err)
		}
	}
	t.Log(err)
}

// copied copies a subject to another registry, or puts an unsigned image there.
func copied(t *testing.T, from, to name.Repository, sub subject, other bool) v1.Descriptor {
	t.Helper()
	ref := to.Digest(sub.digest.String())
	if other {
		img, err := random.Image(64, 1)
		if err != nil {
			t.Fatal(err)
		}
		digest, err := img.Digest()
		if err != nil {
			t.Fatal(err)
		}
		ref = to.Digest(digest.String())
		if err := remote.Write(ref, img); err != nil {
			t.Fatal(err)
		}
	} else {
		d, err := remote.Get(from.Digest(sub.digest.String()))
		if err != nil {
			t.Fatal(err)
		}
		if d.MediaType.IsIndex() {
			idx, err := d.ImageIndex()
			if err == nil {
				err = remote.WriteIndex(ref, idx)
			}
			if err != nil {
				t.Fatal(err)
			}
		} else {
			img, err := d.Image()
			if err == nil {
				err = remote.Write(ref, img)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	d, err := remote.Get(ref)
	if err != nil {
		t.Fatal(err)
	}
	return v1.Descriptor{MediaType: d.MediaType, Size: d.Size, Digest: d.Digest}
}

// changeStatement changes what is signed, so that it still names the image.
func changeStatement(t *testing.T, a artifact) artifact {
	t.Helper()
	return withLayer(t, a, func(b []byte) []byte {
		if a.manifest.ArtifactType != signature.BundleType {
			return bytes.Replace(b, []byte("cosign container image signature"),
				[]byte("cosign container image signaturE"), 1)
		}
		return replacePayload(t, b, `"https://`, `"HTTPS://`)
	})
}

// changeSignature changes one bit of each signature.
func changeSignature(t *testing.T, a artifact) artifact {
	t.Helper()
	if a.manifest.ArtifactType == signature.BundleType {
		return withLayer(t, a, func(b []byte) []byte {
			before, rest, _ := bytes.Cut(b, []byte(`"sig":"`))
			sig, after, ok := bytes.Cut(rest, []byte(`"`))
			if !ok {
				t.Fatalf("no signature in %s", b)
			}
			return bytes.Join([][]byte{before, []byte(`"sig":"`), []byte(flipped(t, string(sig))), []byte(`"`), after},
				nil)
		})
	}
	a.manifest.Layers = append([]v1.Descriptor(nil), a.manifest.Layers...)
	for n, l := range a.manifest.Layers {
		changed := map[string]string{}
		for k, v := range l.Annotations {
			changed[k] = v
		}
		changed[signatureAnnotation] = flipped(t, l.Annotations[signatureAnnotation])
		a.manifest.Layers[n].Annotations = changed
	}
	return a
}

// flipped changes the last bit of a signature in base64.
func flipped(t *testing.T, sig string) string {
	t.Helper()
	der, err := base64.StdEncoding.DecodeString(sig)
	if err != nil || len(der) == 0 {
		t.Fatalf("%q is not a signature: %v", sig, err)
	}
	der[len(der)-1] ^= 1
	return base64.StdEncoding.EncodeToString(der)
}

// replacePayload changes the payload of a bundle, in which old has to be.
func replacePayload(t *testing.T, bundle []byte, old, now string) []byte {
	t.Helper()
	before, rest, _ := bytes.Cut(bundle, []byte(`"payload":"`))
	payload, after, ok := bytes.Cut(rest, []byte(`"`))
	text, err := base64.StdEncoding.DecodeString(string(payload))
	if !ok || err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("no %s in the payload of %s", old, bundle)
	}
	// Verifiers look at the types before the signature; the last URL is not one of them.
	at := strings.LastIndex(string(text), old)
	changed := string(text[:at]) + now + string(text[at+len(old):])
	return []byte(string(before) + `"payload":"` + base64.StdEncoding.EncodeToString([]byte(changed)) +
		`"` + string(after))
}

// withLayer changes the layers of an artifact, but not its configuration.
func withLayer(t *testing.T, a artifact, change func([]byte) []byte) artifact {
	t.Helper()
	layers := append([][]byte(nil), a.layers...)
	for n := 1; n < len(layers); n++ {
		layers[n] = change(layers[n])
		if bytes.Equal(layers[n], a.layers[n]) {
			t.Fatal("nothing was changed")
		}
	}
	a.layers = layers
	return a
}
