package imagefile_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/imagefile"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
)

// referrer writes an artifact that refers to something.
func (b *builder) referrer(kind string, subject v1.Descriptor) v1.Descriptor {
	b.tb.Helper()
	b.blob(oci.Empty, "")
	raw, err := oci.MakeArtifact(kind, []v1.Descriptor{b.blob(kind+" of "+subject.Digest.Hex, "text/plain")}, &subject, nil)
	must(b.tb, err)
	return b.blob(string(raw), types.OCIManifestSchema1)
}

// attested writes an attestation of BuildKit about a manifest, and returns its entry.
func (b *builder) attested(about v1.Descriptor, text string) v1.Descriptor {
	b.tb.Helper()
	layer := b.blob(text, "application/vnd.in-toto+json")
	layer.Annotations = map[string]string{"in-toto.io/predicate-type": "https://slsa.dev/provenance/v1"}
	config := b.blob(`{"architecture":"unknown","os":"unknown","config":{},"rootfs":{"type":"layers","diff_ids":["`+
		layer.Digest.String()+`"]}}`, types.OCIConfigJSON)
	d := b.json(v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Config: config, Layers: []v1.Descriptor{layer},
	}, types.OCIManifestSchema1)
	return with(listed(b.tb, d, "unknown/unknown"), "vnd.docker.reference.type", "attestation-manifest",
		oci.ReferenceDigest, about.Digest.String())
}

func byDigest(list ...v1.Descriptor) []v1.Descriptor {
	slices.SortFunc(list, func(a, b v1.Descriptor) int { return strings.Compare(a.Digest.Hex, b.Digest.Hex) })
	return list
}

// TestReferrers: what refers to the image comes with it, and nothing else.
func TestReferrers(t *testing.T) {
	b := build(t)
	d, other := b.on("linux/amd64"), b.on("linux/arm64")
	direct := byDigest(b.referrer("example/sbom", d), b.referrer("example/signature", d))
	second := b.referrer("example/signature", direct[0])
	third := b.referrer("example/signature", second)
	fourth := b.referrer("example/signature", third)
	fifth := b.referrer("example/signature", fourth)
	signed := b.image(indextest.Proof(t, ".sig", d.Digest))
	proven := b.image(indextest.Proof(t, ".att", d.Digest))
	both := b.referrer("example/both", d)
	tag := "sha256-" + d.Digest.Hex
	b.list(named(b.index(d, other), "1"), direct[0], b.index(direct[1]), second, third, fourth, fifth,
		named(proven, tag+".att"), with(signed, "io.containerd.image.name", "example.com/app:"+tag+".sig"),
		named(both, tag+".sbom"), b.referrer("example/sbom", other),
		named(b.image(indextest.Proof(t, ".sig", other.Digest)), "sha256-"+other.Digest.Hex+".sig"))
	for _, which := range []string{" 1", " @" + d.Digest.String()} {
		for _, place := range []string{"oci:" + b.dir, "oci-archive:" + archivetest.Pack(t, b.dir, "gz")} {
			st := storetest.Open(t)
			taken, err := take(t, place+which, "linux/amd64", st)
			must(t, err)
			complete(t, st, taken)
			var want []oci.Referrer
			add := func(kind string, r, subject v1.Descriptor, tag string) {
				want = append(want, oci.Referrer{
					ArtifactType: kind, MediaType: r.MediaType, Digest: r.Digest, Size: r.Size, Subject: subject.Digest, Tag: tag,
				})
			}
			kinds := map[v1.Hash]string{}
			for _, r := range taken.Referrers {
				kinds[r.Digest] = r.ArtifactType
			}
			for _, r := range byDigest(direct[0], direct[1], both) {
				add(kinds[r.Digest], r, d, "")
			}
			add(string(oci.SimpleSigning), signed, d, tag+".sig")
			add("application/vnd.dsse.envelope.v1+json", proven, d, tag+".att")
			add("example/signature", second, direct[0], "")
			add("example/signature", third, second, "")
			add("example/signature", fourth, third, "")
			if !slices.Equal(taken.Referrers, want) {
				t.Errorf("the referrers are\n%+v, want\n%+v", taken.Referrers, want)
			}
		}
	}
}

// TestAttestations: BuildKit's attestations become referrers with the same layers.
func TestAttestations(t *testing.T) {
	b := build(t)
	d, other := b.on("linux/amd64"), b.on("linux/arm64")
	entry := b.attested(d, `{"about":"amd64"}`)
	gone := b.attested(other, `{"about":"arm64"}`)
	b.list(named(b.index(d, other, entry, gone), "1"))
	b.remove(gone.Digest)
	if _, err := take(t, "oci:"+b.dir, "linux/arm64", storetest.Open(t)); err == nil ||
		!strings.Contains(err.Error(), "lists "+gone.Digest.String()+", which says something of the image and is not there") {
		t.Errorf("an attestation that is not there: %v", err)
	}
	f, err := imagefile.Open(t.Context(), imagefile.Reference{
		Transport: imagefile.OCI, Path: b.dir, Digest: other.Digest, Text: "oci:app",
	}, storetest.Open(t))
	must(t, err)
	if _, err := f.Image(parse(t, "linux/arm64")); err != nil {
		t.Errorf("the image alone: %v", err)
	}
	st := storetest.Open(t)
	taken, err := take(t, "oci:"+b.dir, "linux/amd64", st)
	must(t, err)
	complete(t, st, taken)
	if len(taken.Referrers) != 1 || taken.Referrers[0].ArtifactType != "application/vnd.in-toto+json" {
		t.Fatalf("the referrers are %+v", taken.Referrers)
	}
	raw, err := st.Get(taken.Referrers[0].Descriptor())
	must(t, err)
	var got struct {
		Subject     v1.Descriptor
		Layers      json.RawMessage
		Annotations map[string]string
	}
	must(t, json.Unmarshal(raw, &got))
	was, err := st.Get(entry)
	if err == nil {
		t.Errorf("BuildKit's manifest is in the store, too: %s", was)
	}
	if got.Subject.Digest != d.Digest || got.Subject.Size != d.Size || got.Subject.MediaType != d.MediaType {
		t.Errorf("the subject is %+v, want %+v", got.Subject, d)
	}
	if got.Annotations[oci.ReferenceDigest] != d.Digest.String() ||
		got.Annotations["dev.slipway.referrer.made-from"] != entry.Digest.String() {
		t.Errorf("the annotations are %q", got.Annotations)
	}
	if !strings.Contains(string(got.Layers), `"in-toto.io/predicate-type":"https://slsa.dev/provenance/v1"`) {
		t.Errorf("the layers are %s", got.Layers)
	}
	again, err := take(t, "oci:"+b.dir, "linux/amd64", storetest.Open(t))
	must(t, err)
	if !slices.Equal(again.Referrers, taken.Referrers) {
		t.Errorf("another store has %+v, not %+v", again.Referrers, taken.Referrers)
	}
}

// TestSorted: what is made is among what was there, by digest.
func TestSorted(t *testing.T) {
	b := build(t)
	d := b.on("linux/amd64")
	b.list(d)
	for n := range 4 {
		b.list(b.referrer(fmt.Sprint("example/", n), d), b.attested(d, fmt.Sprint(n)))
	}
	taken, err := take(t, "oci:"+b.dir, "linux/amd64", storetest.Open(t))
	must(t, err)
	if len(taken.Referrers) != 8 || !slices.IsSortedFunc(taken.Referrers, func(a, b oci.Referrer) int {
		return strings.Compare(a.Digest.Hex, b.Digest.Hex)
	}) {
		t.Errorf("the referrers are %+v", taken.Referrers)
	}
}

// TestAttestationWithSubject: newer ones refer to the image themselves, and stay as they are.
func TestAttestationWithSubject(t *testing.T) {
	b := build(t)
	d := b.on("linux/amd64")
	r := b.referrer("application/vnd.docker.attestation.manifest.v1+json", d)
	b.list(b.index(d, with(listed(t, r, "unknown/unknown"), "vnd.docker.reference.type", "attestation-manifest",
		oci.ReferenceDigest, d.Digest.String())))
	taken, err := take(t, "oci:"+b.dir, "linux/amd64", storetest.Open(t))
	must(t, err)
	if len(taken.Referrers) != 1 || taken.Referrers[0].Digest != r.Digest {
		t.Errorf("the referrers are %+v, want %s", taken.Referrers, r.Digest)
	}
}

// TestIndexAsReferrer brings an index that refers to the image with all that it lists.
func TestIndexAsReferrer(t *testing.T) {
	b := build(t)
	d := b.on("linux/amd64")
	child := b.on("linux/s390x")
	i := b.json(struct {
		v1.IndexManifest

		ArtifactType string `json:"artifactType"`
	}{
		v1.IndexManifest{
			SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{child}, Subject: &d,
		},
		"example/tests",
	}, types.OCIImageIndex)
	b.list(d, i)
	st := storetest.Open(t)
	taken, err := take(t, "oci:"+b.dir+" @"+d.Digest.String(), "linux/amd64", st)
	must(t, err)
	complete(t, st, taken)
	if len(taken.Referrers) != 1 || taken.Referrers[0].Digest != i.Digest || taken.Referrers[0].ArtifactType != "example/tests" {
		t.Errorf("the referrers are %+v", taken.Referrers)
	}
	b.remove(child.Digest)
	st = storetest.Open(t)
	_, err = take(t, "oci:"+b.dir+" @"+d.Digest.String(), "linux/amd64", st)
	refused(t, err, ", which refers to the image, lists ", b.dir)
	if n := manifests(t, st); n != 0 {
		t.Errorf("the store has %d manifests", n)
	}
}

// TestDamagedEvidence: an image whose evidence is damaged is not taken without it.
func TestDamagedEvidence(t *testing.T) {
	for name, change := range map[string]func(b *builder, d v1.Descriptor) string{
		"a layer": func(b *builder, d v1.Descriptor) string {
			r := b.referrer("example/sbom", d)
			blob := b.blob("example/sbom of "+d.Digest.Hex, "")
			must(b.tb, archivetest.Flip(b.list(d, r).path(blob.Digest)))
			return "is damaged"
		},
		"a layer of an attestation": func(b *builder, d v1.Descriptor) string {
			r := b.attested(d, "{}x")
			b.list(d, r).remove(b.blob("{}x", "").Digest)
			return "is listed, and not there"
		},
		"a tag of two": func(b *builder, d v1.Descriptor) string {
			tag := "sha256-" + d.Digest.Hex + ".sig"
			b.list(d, named(b.image(indextest.Proof(b.tb, ".sig", d.Digest)), tag),
				named(b.image(indextest.Proof(b.tb, ".att", d.Digest)), tag))
			return "index.json lists two manifests as sha256-"
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := build(t)
			want := change(b, b.on("linux/amd64"))
			st := storetest.Open(t)
			_, err := take(t, "oci:"+b.dir, "linux/amd64", st)
			refused(t, err, want, b.dir)
			if n := manifests(t, st); n != 0 {
				t.Errorf("the store has %d manifests", n)
			}
		})
	}
}
