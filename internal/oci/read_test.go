package oci_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// blobs is a source of documents.
type blobs map[v1.Hash][]byte

func (b blobs) add(t *testing.T, mt types.MediaType, v any) v1.Descriptor {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	h, n, err := v1.SHA256(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	b[h] = raw
	return v1.Descriptor{MediaType: mt, Digest: h, Size: n}
}

// with adds a document with another field.
func (b blobs) with(t *testing.T, d v1.Descriptor, field string, value any) v1.Descriptor {
	t.Helper()
	var fields map[string]any
	if err := json.Unmarshal(b[d.Digest], &fields); err != nil {
		t.Fatal(err)
	}
	fields[field] = value
	return b.add(t, d.MediaType, fields)
}

func (b blobs) get(d v1.Descriptor) ([]byte, error) {
	raw, ok := b[d.Digest]
	if !ok {
		return nil, fmt.Errorf("%s: %w", d.Digest, oci.ErrAbsent)
	}
	return raw, nil
}

// image adds an image for a platform with some layers.
func (b blobs) image(t *testing.T, p string, layers int) v1.Descriptor {
	t.Helper()
	on, err := platform.Parse(p)
	if err != nil {
		t.Fatal(err)
	}
	cf := v1.ConfigFile{OS: on.OS, Architecture: on.Architecture, OSVersion: on.OSVersion}
	m := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1, Layers: []v1.Descriptor{}}
	for n := range layers {
		h, size, err := v1.SHA256(strings.NewReader(fmt.Sprint(p, n)))
		if err != nil {
			t.Fatal(err)
		}
		m.Layers = append(m.Layers, v1.Descriptor{MediaType: types.OCILayer, Digest: h, Size: size})
		cf.RootFS.DiffIDs = append(cf.RootFS.DiffIDs, h)
	}
	m.Config = b.add(t, types.OCIConfigJSON, cf)
	d := b.add(t, types.OCIManifestSchema1, m)
	d.Platform = on.V1()
	return d
}

func (b blobs) index(t *testing.T, children ...v1.Descriptor) v1.Descriptor {
	t.Helper()
	return b.add(t, types.OCIImageIndex,
		v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: children})
}

func TestRead(t *testing.T) {
	b := blobs{}
	windows, linux := b.image(t, "windows/amd64:ltsc2022", 2), b.image(t, "linux/amd64", 1)
	absent, only := b.image(t, "linux/arm64", 1), b.image(t, "linux/s390x", 1)
	delete(b, absent.Digest)
	attestation := b.image(t, "linux/amd64", 0)
	attestation.Platform = &v1.Platform{OS: "unknown", Architecture: "unknown"}
	top := b.index(t, windows, linux, absent, only, attestation)
	r := oci.Reader{Get: b.get, ManifestOnly: func(d v1.Descriptor) bool { return d.Digest == only.Digest }}
	tree, err := r.Read(v1.Descriptor{Digest: top.Digest})
	if err != nil {
		t.Fatal(err)
	}
	if tree.Desc.MediaType != types.OCIImageIndex || tree.Desc.Size != top.Size ||
		!bytes.Equal(tree.Raw, b[top.Digest]) || tree.Blobs() != nil {
		t.Errorf("the index is %+v", tree)
	}
	var presence []oci.Presence
	for _, c := range tree.Children {
		presence = append(presence, c.Presence)
	}
	if d := cmp.Diff([]oci.Presence{oci.Included, oci.Included, oci.Absent, oci.ManifestOnly, oci.Included},
		presence); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if c := tree.Children[0]; len(c.Layers) != 2 || len(c.Blobs()) != 3 || c.Blobs()[0].Digest != c.Config.Digest {
		t.Errorf("the Windows manifest is %+v", c)
	}
	if c := tree.Children[3]; c.Config != nil || !bytes.Equal(c.Raw, b[only.Digest]) {
		t.Errorf("the manifest without configuration is %+v", c)
	}
	var got []string
	for _, p := range tree.Platforms() {
		got = append(got, p.String())
	}
	if d := cmp.Diff([]string{"linux/amd64", "linux/arm64", "linux/s390x", "windows/amd64:ltsc2022"}, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if n := len(tree.Digests()); n != 6 || tree.Digests()[0] != top.Digest {
		t.Errorf("the digests are %v", tree.Digests())
	}
	cf, err := tree.Children[0].ReadConfig(b.get)
	if err != nil || cf.OS != "windows" || len(cf.RootFS.DiffIDs) != 2 {
		t.Errorf("the configuration is %+v, error %v", cf, err)
	}
	if _, err := tree.ReadConfig(b.get); err == nil {
		t.Error("an index has a configuration")
	}
}

func TestArtifactType(t *testing.T) {
	h := v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}
	layer := []v1.Descriptor{{MediaType: "application/layer", Digest: h}}
	for want, m := range map[string]any{
		"application/own": map[string]any{
			"artifactType": "application/own",
			"config":       v1.Descriptor{MediaType: "application/config", Digest: h}, "layers": layer,
		},
		"application/config": map[string]any{
			"config": v1.Descriptor{MediaType: "application/config", Digest: h},
			"layers": layer,
		},
		"application/layer": map[string]any{
			"config": v1.Descriptor{MediaType: types.OCIConfigJSON, Digest: h},
			"layers": layer,
		},
		"": map[string]any{"config": v1.Descriptor{MediaType: types.OCIConfigJSON, Digest: h}},
	} {
		b := blobs{}
		tree, err := oci.Read(b.add(t, types.OCIManifestSchema1, m), b.get, oci.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if got := tree.ArtifactType(); got != want {
			t.Errorf("the type of %v is %q, want %q", m, got, want)
		}
	}
}

func TestReadErrors(t *testing.T) {
	b := blobs{}
	one := b.image(t, "linux/amd64", 3)
	missing := v1.Descriptor{
		MediaType: types.OCIManifestSchema1,
		Digest:    v1.Hash{Algorithm: "sha256", Hex: strings.Repeat("0", 64)}, Size: 1,
	}
	nested := one
	for range 5 {
		nested = b.index(t, nested)
	}
	longer := one
	longer.Size++
	two := b.index(t, one, one)
	negative := b.add(t, types.OCIManifestSchema1,
		v1.Manifest{Config: one, Layers: []v1.Descriptor{{Digest: one.Digest, Size: -1}}})
	deep := v1.Hash{Algorithm: "sha256", Hex: "1"}
	b[deep] = []byte(strings.Repeat("[", 40))
	values := v1.Hash{Algorithm: "sha256", Hex: "2"}
	b[values] = []byte("[" + strings.Repeat("{},", oci.MaxValues) + "{}]")
	huge := v1.Hash{Algorithm: "sha256", Hex: "3"}
	b[huge] = make([]byte, oci.MaxManifest+1)
	for _, tc := range []struct {
		name   string
		desc   v1.Descriptor
		limits oci.Limits
		want   string
	}{
		{"absent", missing, oci.Limits{}, "not included"},
		{"another size", longer, oci.Limits{}, "its descriptor says"},
		{
			"a configuration", b.add(t, types.OCIConfigJSON, v1.ConfigFile{}),
			oci.Limits{},
			"neither an image manifest nor an index",
		},
		{
			"no configuration", b.add(t, types.OCIManifestSchema1, struct{}{}),
			oci.Limits{},
			"neither an image manifest nor an index",
		},
		{
			"a configuration without type",
			v1.Descriptor{Digest: b.add(t, "", v1.ConfigFile{}).Digest},
			oci.Limits{},
			"neither an image manifest nor an index",
		},
		{"negative size", negative, oci.Limits{}, "negative size"},
		{"schema 1", b.with(t, one, "fsLayers", []int{1}), oci.Limits{}, "has the fsLayers of schema 1"},
		{"also an index", b.with(t, one, "manifests", []int{}), oci.Limits{}, "has the manifests of an index"},
		{"another schema", b.with(t, one, "schemaVersion", 1), oci.Limits{}, "has schemaVersion 1 in place of 2"},
		{"also an image", b.with(t, b.index(t, one), "layers", []int{}), oci.Limits{}, "has the config or layers of an image"},
		{"nested indexes", nested, oci.Limits{}, "nested too deeply"},
		{"index in an index", b.index(t, b.index(t, one)), oci.Limits{Depth: 1}, "nested too deeply"},
		{"manifests", two, oci.Limits{Manifests: 2}, "more than 2 manifests"},
		{"layers", two, oci.Limits{Layers: 5}, "more than 5 layers"},
		{"references", two, oci.Limits{References: 8}, "more than 8 times"},
		{"bytes", two, oci.Limits{Bytes: 500}, "counting each as often as it is listed"},
		{"nested JSON", v1.Descriptor{Digest: deep}, oci.Limits{}, "nests more than 32 levels"},
		{"values", v1.Descriptor{Digest: values}, oci.Limits{}, "more than 163840 values"},
		{
			"described as huge",
			v1.Descriptor{Digest: one.Digest, Size: oci.MaxManifest + 1},
			oci.Limits{},
			"it may have at most",
		},
		{"huge", v1.Descriptor{Digest: huge}, oci.Limits{}, "it may have at most"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := oci.Read(tc.desc, b.get, tc.limits); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("the error is %v, want one with %q", err, tc.want)
			}
		})
	}
	r := oci.Reader{Get: b.get, ManifestOnly: func(d v1.Descriptor) bool { return d.Digest == missing.Digest }}
	if _, err := r.Read(b.index(t, b.index(t, missing))); err == nil || errors.Is(err, oci.ErrAbsent) {
		t.Errorf("a missing manifest gives the error %v", err)
	}
}

// TestReaderCountsAllTrees checks that the budget is for all trees of a reader.
func TestReaderCountsAllTrees(t *testing.T) {
	b := blobs{}
	one := b.image(t, "linux/amd64", 3)
	r := oci.Reader{Get: b.get, Limits: oci.Limits{References: 8}}
	for n := range 3 {
		if _, err := r.Read(one); (err != nil) != (n == 2) {
			t.Errorf("reading for time %d: %v", n+1, err)
		}
	}
}

func TestReferringTo(t *testing.T) {
	hash := func(s string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: s} }
	all := []oci.Referrer{
		{Digest: hash("a")},
		{Digest: hash("b"), Subject: hash("child")},
		{Digest: hash("c"), Subject: hash("other")},
		{Digest: hash("d"), Subject: hash("b")},
		{Digest: hash("e"), Subject: hash("c")},
		{Digest: hash("f"), Subject: hash("image")},
	}
	var got string
	for _, r := range oci.ReferringTo(all, func(r oci.Referrer) oci.Referrer { return r }, hash("image"),
		hash("child")) {
		got += r.Digest.Hex
	}
	if got != "abdf" {
		t.Errorf("%s refer to the image, want abdf", got)
	}
}

// FuzzRead checks that reading ends, that what it reads is within the limits, and that a tree can
// be walked.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"schemaVersion":2,"manifests":[{"digest":"sha256:00"}]}`),
		[]byte(`{"config":{"size":1},"layers":[{"size":2}]}`))
	f.Add([]byte(`{"config":{"size":-1}}`), []byte(nil))
	f.Add([]byte(`{"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[{},{}]}`),
		[]byte(`{"manifests":[{}]}`))
	f.Fuzz(func(t *testing.T, top, below []byte) {
		first := true
		get := func(v1.Descriptor) ([]byte, error) {
			if first {
				first = false
				return top, nil
			}
			return below, nil
		}
		limits := oci.Limits{Depth: 3, Manifests: 100, Layers: 100, References: 150, Bytes: 1 << 20}
		tree, err := oci.Read(v1.Descriptor{}, get, limits)
		if err != nil {
			return
		}
		manifests, layers := 0, 0
		for d := range tree.All() {
			manifests++
			layers += len(d.Layers)
			if d.Desc.Size != int64(len(d.Raw)) || d.Desc.MediaType.IsImage() == (d.Config == nil) {
				t.Errorf("a document is %+v", d)
			}
			d.ArtifactType()
		}
		if manifests > limits.Manifests || layers > limits.Layers || manifests+layers > limits.References {
			t.Errorf("%d manifests and %d layers", manifests, layers)
		}
		tree.Platforms()
	})
}
