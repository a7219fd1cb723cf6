package lint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
)

const (
	windows2019 = "windows/amd64:10.0.17763.1"
	windows2022 = "windows/amd64:10.0.20348.1"
	windows2025 = "windows/amd64:10.0.26100.1"
)

// index reads an index that indextest makes. Without configs it reads none.
func index(t *testing.T, name string, configs bool, entries ...string) lint.Index {
	t.Helper()
	idx := indextest.Index(t, entries...)
	documents := map[v1.Hash][]byte{}
	raw, err := idx.RawManifest()
	must(t, err)
	h, err := idx.Digest()
	must(t, err)
	documents[h] = raw
	m, err := idx.IndexManifest()
	must(t, err)
	for _, d := range m.Manifests {
		img, err := idx.Image(d.Digest)
		must(t, err)
		documents[d.Digest], err = img.RawManifest()
		must(t, err)
		c, err := img.ConfigName()
		must(t, err)
		documents[c], err = img.RawConfigFile()
		must(t, err)
	}
	get := func(d v1.Descriptor) ([]byte, error) { return documents[d.Digest], nil }
	tree, err := oci.Read(v1.Descriptor{Digest: h}, get, oci.Limits{})
	must(t, err)
	if !configs {
		return lint.NewIndex(name, tree, nil)
	}
	return lint.NewIndex(name, tree, get)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func platforms(t *testing.T, list ...string) (all []platform.Platform) {
	t.Helper()
	for _, text := range list {
		var p platform.Platform
		must(t, p.UnmarshalText([]byte(text)))
		all = append(all, p)
	}
	return all
}

// found returns a line for each finding in an index.
func found(i lint.Index, o lint.IndexOptions) []string {
	all := []string{}
	for _, f := range lint.CheckIndexes([]lint.Index{i}, o).Findings {
		all = append(all, fmt.Sprintf("%s %s: %s", f.Severity, f.Rule, f.What))
	}
	return all
}

// TestBundled: of an image of others a release reports what nodes of the product run into, and not
// how others publish.
func TestBundled(t *testing.T) {
	for _, tc := range []struct {
		name    string
		entries []string
		nodes   []string
		byPods  bool
		want    []string
	}{
		{
			"healthy",
			[]string{"linux/amd64", windows2019, windows2025},
			[]string{"linux/amd64", windows2019, windows2025},
			false, nil,
		},
		{
			"form",
			[]string{"linux/amd64", "docker linux/arm64", "attestation", "windows/amd64:10.0.18363.1556"},
			[]string{"linux/amd64"},
			false, nil,
		},
		{
			"fallback",
			[]string{"linux/amd64", windows2019, windows2022},
			[]string{"linux/amd64", windows2025},
			false,
			[]string{"note index-windows-release: it has no entry for windows/amd64:ltsc2025; nodes of that release " +
				"run the one for " + windows2022},
		},
		{
			"no build",
			[]string{windows2025},
			[]string{windows2019, windows2025},
			false,
			[]string{"warning index-node: no entry runs on nodes with windows/amd64:ltsc2019: it is for " + windows2025},
		},
		{"of pods", []string{windows2025}, []string{windows2019, windows2025}, true, nil},
		{"linux alone", []string{"linux/amd64"}, []string{"linux/amd64", windows2019}, false, nil},
		{
			"lost os.version",
			[]string{"linux/amd64", windows2019 + " as windows/amd64"},
			[]string{"linux/amd64", windows2019},
			false,
			[]string{"error index-os-version: it has no os.version; the image's configuration has 10.0.17763.1"},
		},
		{
			"lost os.version, nodes with Linux",
			[]string{"linux/amd64", windows2019 + " as windows/amd64"},
			[]string{"linux/amd64"},
			false, nil,
		},
		{
			"HostProcess",
			[]string{"linux/amd64", "windows/amd64"},
			[]string{"linux/amd64", windows2019, windows2025},
			false, nil,
		},
		{
			"one without os.version",
			[]string{windows2022, "windows/amd64"},
			[]string{windows2022},
			false,
			[]string{"error index-os-version: a Windows entry of the index has no os.version"},
		},
		{
			"swapped",
			[]string{"linux/arm64 as linux/amd64", "linux/amd64 as linux/arm64"},
			[]string{"linux/amd64"},
			false,
			[]string{"error index-platform-differs: the image is for linux/arm64"},
		},
		{
			"no platform",
			[]string{"linux/amd64", "linux/arm64 as"},
			[]string{"linux/amd64"},
			false,
			[]string{"error index-no-platform: an entry of the index has no platform"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			i := index(t, "registry.example/it:1", true, tc.entries...)
			i.Scope, i.Nodes, i.NodesChecked = lint.Bundled, platforms(t, tc.nodes...), tc.byPods
			if d := cmp.Diff(append([]string{}, tc.want...), found(i, lint.IndexOptions{})); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
		})
	}
}

// TestBundledSingle: a manifest without an index is for one build.
func TestBundledSingle(t *testing.T) {
	img := indextest.Image(t, windows2025, "")
	raw, err := img.RawManifest()
	must(t, err)
	config, err := img.RawConfigFile()
	must(t, err)
	h, err := img.Digest()
	must(t, err)
	tree, err := oci.Parse(v1.Descriptor{Digest: h}, raw)
	must(t, err)
	i := lint.NewIndex("it:1", tree, func(v1.Descriptor) ([]byte, error) { return config, nil })
	i.Scope, i.Nodes = lint.Bundled, platforms(t, windows2019)
	want := []string{"warning index-node: no entry runs on nodes with windows/amd64:ltsc2019: it is for " + windows2025}
	if d := cmp.Diff(want, found(i, lint.IndexOptions{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestBundledLost: without configurations, the index alone is judged, and against the one before.
func TestBundledLost(t *testing.T) {
	before := index(t, "it:1", false, "linux/amd64", "linux(+erofs)/amd64", "linux/arm64", windows2019)
	i := index(t, "it:2", false, "linux/amd64", windows2022+" as windows/amd64", windows2019+" as windows/amd64")
	i.Scope, i.Before = lint.Bundled, &before
	want := []string{
		"warning index-platform-lost: it:1 has an entry for linux/arm64, and this image does not",
		"error index-os-version: a Windows entry of the index has no os.version",
		"error index-os-version: a Windows entry of the index has no os.version",
	}
	if d := cmp.Diff(want, found(i, lint.IndexOptions{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// TestOwn: each fault of a product's own index is an error, and nothing else is.
func TestOwn(t *testing.T) {
	i := index(t, "it:1", true, "linux/amd64", "linux/amd64", "attestation", windows2019, windows2022)
	i.Scope = lint.Own
	got := found(i, lint.IndexOptions{})
	if len(got) != 1 || !strings.HasPrefix(got[0], "error index-duplicate: entry 0 is for this platform, too") {
		t.Errorf("found %q", got)
	}
}

// TestAllowIndexes: an entry of slipway.yaml allows a finding about an image by its name or its
// repository, in all entries or in one; the check of manifests leaves it alone, and one that allows
// nothing is a finding.
func TestAllowIndexes(t *testing.T) {
	const ref = "registry.example/it:1@sha256:"
	digest := strings.Repeat("1", 64)
	for name, tc := range map[string]struct {
		allow   product.Allow
		partial bool
		want    []string // the rules of findings
	}{
		"repository": {product.Allow{Object: "registry.example/it"}, false, nil},
		"reference":  {product.Allow{Object: ref + digest}, false, nil},
		"all":        {product.Allow{}, false, nil},
		"entry":      {product.Allow{Path: "windows/amd64"}, false, nil},
		"path":       {product.Allow{Path: "manifests[1]"}, false, nil},
		"another": {
			product.Allow{Object: "registry.example/other"},
			false,
			[]string{"index-os-version", "allow-unused"},
		},
		"another, of some": {product.Allow{Object: "registry.example/other"}, true, []string{"index-os-version"}},
		"another entry": {
			product.Allow{Path: "manifests[0]"},
			false,
			[]string{"index-os-version", "allow-unused"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			i := index(t, ref+digest, true, "linux/amd64", windows2019+" as windows/amd64")
			i.Scope, i.Pos = lint.Bundled, lint.Place("images.txt:3")
			tc.allow.Rule, tc.allow.Reason, tc.allow.Pos.File = "index-os-version", "they say so", "slipway.yaml"
			list := []product.Allow{tc.allow, {Rule: "windows-sub-path", Reason: "ours", Pos: tc.allow.Pos}}
			r := lint.CheckIndexes([]lint.Index{i}, lint.IndexOptions{Allow: lint.AllowIndexes(list), Partial: tc.partial})
			var got []string
			for _, f := range r.Findings {
				got = append(got, f.Rule)
			}
			if d := cmp.Diff(tc.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			m, err := lint.Check(t.Context(), []lint.File{{Name: "release.yaml"}}, lint.Options{Allow: list[:1]})
			if err != nil || len(m.Findings) != 0 {
				t.Errorf("the check of manifests: %+v, %v", m, err)
			}
		})
	}
}

// TestPlace reads what a lock says of where an image is named.
func TestPlace(t *testing.T) {
	for from, want := range map[string]string{
		"images.txt:12": "images.txt:12:1",
		"Deployment kpack/controller container c":   "Deployment kpack/controller container c:0",
		"chart x: Deployment kpack/c container c:d": "chart x: Deployment kpack/c container c:d:0",
	} {
		if got := lint.Place(from).String(); got != want {
			t.Errorf("%s is %s, want %s", from, got, want)
		}
	}
}
