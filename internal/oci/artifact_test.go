package oci_test

import (
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
)

// TestMakeArtifact pins the bytes: signatures and plans name artifacts by their digests.
func TestMakeArtifact(t *testing.T) {
	const empty = `"config":{"mediaType":"application/vnd.oci.empty.v1+json","size":2,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}`
	d := v1.Descriptor{MediaType: "text/plain", Digest: oci.EmptyConfig().Digest, Size: 2}
	const text = `{"mediaType":"text/plain","size":2,"digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"}`
	const head = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"example/kind",` + empty
	for _, test := range []struct {
		subject     *v1.Descriptor
		annotations map[string]string
		want        string
	}{
		{nil, nil, head + `,"layers":[` + text + `]}`},
		{
			&d,
			map[string]string{"b": "2", "a": "1"},
			head + `,"layers":[` + text + `],"subject":` + text + `,"annotations":{"a":"1","b":"2"}}`,
		},
	} {
		got, err := oci.MakeArtifact("example/kind", []v1.Descriptor{d}, test.subject, test.annotations)
		if err != nil || string(got) != test.want {
			t.Errorf("it is %s, %v", got, err)
		}
	}
}

// TestIsArtifact distinguishes artifacts from images by their manifests.
func TestIsArtifact(t *testing.T) {
	const image = `"config":{"mediaType":"application/vnd.oci.image.config.v1+json"},"layers":[]`
	for text, want := range map[string]bool{
		`{"schemaVersion":2,` + image + `}`: false,
		`{"schemaVersion":2,"config":{"mediaType":"application/vnd.docker.container.image.v1+json"}}`: false,
		`{"schemaVersion":2,` + image + `,"artifactType":"example/kind"}`:                             true,
		`{"schemaVersion":2,` + image + `,"subject":{"size":2}}`:                                      true,
		`{"schemaVersion":2,"config":{"mediaType":"application/vnd.oci.empty.v1+json"}}`:              true,
		`{"schemaVersion":2,"manifests":[]}`:                                                          false,
	} {
		d, err := oci.Parse(v1.Descriptor{}, []byte(text))
		if err != nil || d.IsArtifact() != want {
			t.Errorf("%s: %v, want %t", text, err, want)
		}
	}
}
