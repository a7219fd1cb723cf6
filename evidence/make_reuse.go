package evidence

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/signature"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/store"
)

// kindSignature are the records of signatures that programs have made.
const kindSignature = "signature"

// Reuse returns a signer that uses the signatures that st remembers, and those of the referrers
// of the images of l, before it makes one: so a release that is rebuilt is not signed again, and
// has the same bytes although the signer's are random.
func Reuse(st *store.Store, l *lock.Lock, s *signature.Signer) (*signature.Signer, error) {
	attached, err := attachedSignatures(st, l)
	if err != nil {
		return nil, err
	}
	key := func(message []byte) string {
		sum := sha256.Sum256(message)
		return s.Public.Fingerprint() + " " + hex.EncodeToString(sum[:])
	}
	known := func(message []byte) []byte {
		for _, sig := range attached[sha256.Sum256(message)] {
			if s.Public.Verify(message, sig) == nil {
				return sig
			}
		}
		var sig []byte
		if ok, err := st.Recall(kindSignature, key(message), &sig); !ok || err != nil {
			return nil // it is rebuilt
		}
		return sig
	}
	made := func(message, sig []byte) error { return st.Record(kindSignature, key(message), sig) }
	return s.Reusing(known, made), nil
}

// attachedSignatures returns the signatures in referrers of the images of l, by the SHA-256 of
// what they sign. Nothing of it is verified.
func attachedSignatures(st *store.Store, l *lock.Lock) (map[[sha256.Size]byte][][]byte, error) {
	all := map[[sha256.Size]byte][][]byte{}
	add := func(message, sig []byte) {
		sum := sha256.Sum256(message)
		all[sum] = append(all[sum], sig)
	}
	for _, i := range l.Published() {
		for _, r := range i.Referrers {
			t, complete, err := st.Tree(r.Descriptor())
			if err != nil {
				return nil, err
			}
			if !complete {
				continue
			}
			for _, layer := range t.Layers {
				if layer.Size > signature.MaxBundle {
					continue
				}
				switch text, err := read(st, layer); {
				case err != nil:
					return nil, err
				case string(layer.MediaType) == signature.BundleType:
					if message, sig, err := signature.Signed(text); err == nil {
						add(message, sig)
					}
				case layer.MediaType == oci.SimpleSigning:
					if sig, err := base64.StdEncoding.DecodeString(layer.Annotations[oci.SignatureKey]); err == nil {
						add(text, sig)
					}
				}
			}
		}
	}
	return all, nil
}

func read(st *store.Store, d v1.Descriptor) ([]byte, error) {
	f, err := st.Open(d.Digest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
