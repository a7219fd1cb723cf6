// Package indextest makes indexes, layers and evidence with the faults that slipway audit
// finds.
package indextest

import (
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/platform"
)

// Image returns an image of one layer for a platform, in a form of manifests.
func Image(tb testing.TB, on string, form types.MediaType) v1.Image {
	tb.Helper()
	img, err := random.Image(64, 1)
	must(tb, err)
	p := parse(tb, on)
	img, err = mutate.ConfigFile(img, &v1.ConfigFile{
		OS: p.OS, Architecture: p.Architecture, Variant: p.Variant, OSVersion: p.OSVersion,
		OSFeatures: p.OSFeatures, RootFS: rootFS(tb, img),
	})
	must(tb, err)
	if form != types.DockerManifestSchema2 {
		img = mutate.ConfigMediaType(mutate.MediaType(img, types.OCIManifestSchema1), types.OCIConfigJSON)
	}
	return img
}

func parse(tb testing.TB, on string) *v1.Platform {
	tb.Helper()
	var p platform.Platform
	must(tb, p.UnmarshalText([]byte(on)))
	return p.V1()
}

func rootFS(tb testing.TB, img v1.Image) v1.RootFS {
	tb.Helper()
	cf, err := img.ConfigFile()
	must(tb, err)
	return cf.RootFS
}

// Index lists images: "linux/amd64", or "linux/amd64 as windows/amd64:10.0.17763.1", "as" for no
// platform, or "attestation". "docker linux/amd64" has a manifest of Docker, and an index of
// nothing else is Docker's manifest list.
func Index(tb testing.TB, entries ...string) v1.ImageIndex {
	tb.Helper()
	kind := types.DockerManifestList
	for _, text := range entries {
		if !strings.HasPrefix(text, "docker ") {
			kind = types.OCIImageIndex
		}
	}
	i := mutate.IndexMediaType(empty.Index, kind)
	seen := map[string]v1.Image{}
	for _, text := range entries {
		is, as, other := strings.Cut(text, " as")
		form := types.OCIManifestSchema1
		if name, docker := strings.CutPrefix(is, "docker "); docker {
			is, form = name, types.DockerManifestSchema2
		}
		is, again := strings.CutPrefix(is, "again ")
		listed := is
		switch {
		case other:
			listed = strings.TrimSpace(as)
		case text == "attestation":
			is, listed = "linux/amd64", "unknown/unknown"
		}
		if !again {
			seen[is] = Image(tb, is, form)
		}
		img := seen[is]
		a := mutate.IndexAddendum{Add: img}
		if listed != "" {
			a.Platform = parse(tb, listed)
		}
		i = mutate.AppendManifests(i, a)
	}
	return i
}

// Platforms of Windows images, with revisions.
const (
	Windows2019 = "windows/amd64:10.0.17763.6893"
	Windows2022 = "windows/amd64:10.0.20348.3091"
	Windows2025 = "windows/amd64:10.0.26100.2894"
)

// Case is an index and its faults.
type Case struct {
	Name    string
	Entries []string // as Index takes them
	Want    []string // severity, path and rule of each finding
}

// Cases are indexes without a fault, and one or several with each.
var Cases = []Case{
	{
		"healthy",
		[]string{
			"linux/amd64", "linux/arm64/v8", "linux/arm/v7", "linux/arm/v6", Windows2025, Windows2022, Windows2019,
		},
		nil,
	},
	{"healthy-linux", []string{"linux/amd64", "linux/arm64", "linux/386", "linux/s390x"}, nil},
	{"healthy-features", []string{"linux/amd64", "linux(+erofs)/amd64", "linux/arm64 as linux(+erofs)/arm64"}, nil},
	{
		"healthy-win32k",
		[]string{Windows2025, "windows(+win32k)/amd64:10.0.20348.1 as windows/amd64:10.0.20348.1", Windows2019},
		nil,
	},
	{
		"features",
		[]string{"linux/amd64", "linux(+erofs)/arm64 as linux/arm64", "linux/arm64 as linux/arm64/v8"},
		[]string{"error manifests[1] index-platform-differs", "warning manifests[2] index-duplicate"},
	},
	{
		"dapr",
		[]string{"linux/amd64", Windows2019 + " as windows/amd64", Windows2022 + " as windows/amd64"},
		[]string{"error manifests[1] index-os-version", "error manifests[2] index-os-version"},
	},
	{ // https://github.com/kubernetes-sigs/gcp-compute-persistent-disk-csi-driver/pull/1953
		"gcp-pd-1953",
		[]string{"docker linux/amd64", "docker linux/arm64", "docker " + Windows2019 + " as windows/amd64"},
		[]string{"error manifests[2] index-os-version"},
	},
	{ // https://github.com/rancher/rancher/issues/46559
		"rancher-46559",
		[]string{
			"docker linux/amd64", "docker linux/arm64", "docker " + Windows2019 + " as windows/amd64",
			"docker " + Windows2022 + " as windows/amd64",
		},
		[]string{"error manifests[2] index-os-version", "error manifests[3] index-os-version"},
	},
	{
		"rke2-2025",
		[]string{"linux/amd64", Windows2022 + " as " + Windows2025, Windows2022, Windows2019},
		[]string{"error manifests[1] index-os-version-differs"},
	},
	{"swapped", []string{"linux/arm64 as linux/amd64"}, []string{"error manifests[0] index-platform-differs"}},
	{
		"linux-as-windows",
		[]string{Windows2025, "linux/amd64 as " + Windows2022, Windows2019},
		[]string{"error manifests[1] index-platform-differs"},
	},
	{"twice", []string{"linux/amd64", "linux/amd64"}, []string{"warning manifests[1] index-duplicate"}},
	{"same-twice", []string{"linux/amd64", "again linux/amd64"}, []string{"warning manifests[1] index-duplicate"}},
	{"no-platform", []string{"linux/amd64", "linux/arm64 as"}, []string{"error manifests[1] index-no-platform"}},
	{"attested", []string{"linux/amd64", "attestation"}, []string{"note manifests[1] index-attestation"}},
	{"mixed", []string{"linux/amd64", "docker linux/arm64"}, []string{"note manifests[1] index-mixed"}},
	{
		"ended",
		[]string{Windows2025, Windows2022, Windows2019, "windows/amd64:10.0.18363.1556"},
		[]string{"note manifests[3] index-windows-ended"},
	},
	{"without-2025", []string{Windows2022, Windows2019}, []string{"note index-windows-release"}},
	{ // https://github.com/containerd/containerd/issues/11366
		"containerd-11366",
		[]string{"linux/amd64", Windows2022, Windows2025, Windows2019},
		[]string{"note manifests[1] index-order"},
	},
	{
		"oldest-first",
		[]string{Windows2019, Windows2022},
		[]string{"note index-windows-release", "note manifests[0] index-order"},
	},
	{
		"older-revision",
		[]string{Windows2025, "windows/amd64:10.0.20348.100", Windows2022, Windows2019},
		[]string{"warning manifests[1] index-duplicate"},
	},
	{
		"variants",
		[]string{"linux/arm/v7", "linux/arm/v6 as linux/arm/v7"}, // which runs there
		[]string{"warning manifests[1] index-duplicate"},
	},
	{
		"newer-variant",
		[]string{"linux/arm/v6", "linux/arm/v8 as linux/arm/v7", "linux/amd64"},
		[]string{"error manifests[1] index-platform-differs"},
	},
	{
		"names-of-others",
		[]string{"linux/aarch64/v8 as linux/arm64", "linux/x86_64 as linux/amd64/v1", "linux/armhf as linux/arm"},
		nil,
	},
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
