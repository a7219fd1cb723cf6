package manifest_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/manifest"
	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
)

var update = flag.Bool("update", false, "write the golden files anew")

var created = time.Date(2025, time.January, 16, 22, 57, 50, 999, time.FixedZone("CET", 3600))

// TestWrite compares the configuration and manifest of an image from scratch and of one
// on a Docker base with golden files.
func TestWrite(t *testing.T) {
	for _, tc := range []struct {
		name  string
		image manifest.Image
	}{
		{"scratch", manifest.Image{
			Platform: platform.Platform{OS: "linux", Architecture: "arm", Variant: "v7"},
			Created:  created,
		}},
		{"docker-base", manifest.Image{
			Platform: platform.Platform{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.4773"},
			Base:     dockerBase(t), Created: created,
			Config:      v1.Config{Entrypoint: []string{`C:\app.exe`}, Labels: map[string]string{"b": "2", "a": "1"}},
			Annotations: map[string]string{"z": "26", "y": "25"},
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var digests []v1.Hash
			for range 2 {
				st := storetest.Open(t)
				l, err := layer.Write(t.Context(),
					st, []layer.Entry{{Path: "/a", Mode: 0o644, Content: layer.Bytes([]byte("a"))}},
					layer.Options{OS: tc.image.Platform.OS, Compression: layer.Zstd})
				if err != nil {
					t.Fatal(err)
				}
				// Layer digests depend on the compressor's version.
				l.Digest, l.Size = v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("ab", 32)}, 4
				tc.image.Layers = []manifest.Layer{{Layer: l, CreatedBy: "slipway test"}}
				d, _, err := manifest.Write(st, tc.image)
				if err != nil {
					t.Fatal(err)
				}
				raw, err := st.Get(d)
				if err != nil {
					t.Fatal(err)
				}
				if d.Size != int64(len(raw)) || d.MediaType != types.OCIManifestSchema1 ||
					platform.From(d.Platform) != tc.image.Platform {
					t.Errorf("the descriptor is %+v", d)
				}
				m, err := v1.ParseManifest(bytes.NewReader(raw))
				if err != nil {
					t.Fatal(err)
				}
				config, err := st.Get(m.Config)
				if err != nil {
					t.Fatal(err)
				}
				golden.Compare(t, *update, "testdata/"+tc.name+".golden", indent(t, raw)+indent(t, config))
				digests = append(digests, d.Digest)
			}
			if digests[0] != digests[1] {
				t.Errorf("the digests are %s and %s", digests[0], digests[1])
			}
		})
	}
}

// dockerBase returns an image like those of docker build: with Docker's media types,
// fields about its author, and a layer with URLs.
func dockerBase(t *testing.T) v1.Image {
	t.Helper()
	foreign := static.NewLayer([]byte("foreign"), types.DockerForeignLayer)
	i, err := mutate.Append(mutate.MediaType(empty.Image, types.DockerManifestSchema2),
		mutate.Addendum{
			Layer: foreign, MediaType: types.DockerForeignLayer, URLs: []string{"https://example.com/foreign"},
			History: v1.History{CreatedBy: "Apply image", Created: v1.Time{Time: time.Unix(1600000000, 0).UTC()}},
		},
		mutate.Addendum{
			Layer: static.NewLayer([]byte("gzip"), types.DockerLayer), MediaType: types.DockerLayer,
			History: v1.History{CreatedBy: "RUN gzip"},
		},
		mutate.Addendum{History: v1.History{CreatedBy: "ENV A=b", EmptyLayer: true}},
	)
	if err != nil {
		t.Fatal(err)
	}
	cf, err := i.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	cf = cf.DeepCopy()
	cf.Author, cf.Container, cf.DockerVersion = "somebody", "0123456789ab", "20.10" //nolint:staticcheck // bases have it, deprecated or not
	cf.OS, cf.Architecture, cf.OSVersion, cf.OSFeatures = "windows", "amd64", "10.0.20348.1", []string{"win32k"}
	cf.Config = v1.Config{Env: []string{"A=b"}, Cmd: []string{"cmd"}}
	if i, err = mutate.ConfigFile(i, cf); err != nil {
		t.Fatal(err)
	}
	return i
}

func indent(t *testing.T, b []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Indent(&out, b, "", "  "); err != nil {
		t.Fatal(err)
	}
	return out.String() + "\n"
}
