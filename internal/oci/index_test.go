package oci_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

func TestMakeIndex(t *testing.T) {
	want := []string{
		"linux/amd64", "linux/arm64",
		"windows/amd64:10.0.26100.32370", "windows/amd64:10.0.20348.4773", "windows/amd64:10.0.17763.8389",
	}
	var children []v1.Descriptor
	for i, s := range want {
		c := child(t, s)
		c.Size = int64(i)
		c.Annotations, c.URLs, c.Data = map[string]string{"not": "here"}, []string{"https://example.com"}, []byte("x")
		children = append(children, c)
	}
	var first []byte
	for seed := range uint64(10) {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(children), func(i, j int) {
			children[i], children[j] = children[j], children[i]
		})
		raw, err := oci.MakeIndex(children, map[string]string{"b": "2", "a": "1"})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = raw
		}
		if !bytes.Equal(raw, first) {
			t.Fatalf("another order of children gives\n%s\nand the first\n%s", raw, first)
		}
	}
	m, err := v1.ParseIndexManifest(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	if m.SchemaVersion != 2 || m.MediaType != types.OCIImageIndex || m.Annotations["a"] != "1" {
		t.Errorf("the index is %s", first)
	}
	var got []string
	for _, d := range m.Manifests {
		got = append(got, platform.From(d.Platform).String())
		if d.Annotations != nil || d.URLs != nil || d.Data != nil || d.MediaType != types.OCIManifestSchema1 {
			t.Errorf("the descriptor is %+v", d)
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestMakeIndexErrors(t *testing.T) {
	bare := child(t, "linux/amd64")
	bare.Platform = nil
	noVersion := child(t, "windows/amd64:ltsc2022")
	noVersion.Platform.OSVersion = ""
	for _, tc := range []struct {
		name     string
		children []v1.Descriptor
		says     string
	}{
		{"no platform", []v1.Descriptor{bare}, "has no platform"},
		{"no os.version", []v1.Descriptor{noVersion}, `os.version ""`},
		{
			"three parts",
			[]v1.Descriptor{child(t, "windows/amd64:ltsc2022")},
			`os.version "10.0.20348", not the four parts`,
		},
		{
			"one system twice",
			[]v1.Descriptor{child(t, "linux/amd64"), child(t, "linux/amd64")},
			"two children for linux/amd64",
		},
		{
			"one variant by two names",
			[]v1.Descriptor{child(t, "linux/arm64"), child(t, "linux/arm64/v8")},
			"two children for linux/arm64/v8",
		},
		{"one build twice", []v1.Descriptor{
			child(t, "windows/amd64:10.0.20348.1"),
			child(t, "windows/amd64:10.0.20348.2"),
		}, "two children for windows/amd64:10.0.20348.2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if b, err := oci.MakeIndex(tc.children, nil); err == nil || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("it gives %s and the error %v, want one that says %q", b, err, tc.says)
			}
		})
	}
}

func child(t *testing.T, s string) v1.Descriptor {
	t.Helper()
	p, err := platform.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	h, _, err := v1.SHA256(strings.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	return v1.Descriptor{MediaType: types.OCIManifestSchema1, Digest: h, Platform: p.V1()}
}
