package provenance_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

func hash(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }

func on(t *testing.T, s string) platform.Platform {
	t.Helper()
	p, err := platform.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// example is a release of everything that a statement can have.
func example(t *testing.T) (*lock.Lock, provenance.Inputs) {
	t.Helper()
	linux, windows := on(t, "linux/amd64"), on(t, "windows/amd64:10.0.20348.3207")
	nanoserver := &lock.Base{
		Name:   "mcr.microsoft.com/windows/nanoserver:ltsc2022@" + hash("b").String(),
		Digest: hash("8"),
	}
	l := &lock.Lock{
		SchemaVersion: 1, Release: lock.Release{
			Name: "app", Version: "1.0.0", Channel: "stable",
			Created:  time.Date(2025, 1, 16, 22, 57, 50, 0, time.FixedZone("", 3600)),
			Registry: "ghcr.io/me", Copies: []string{"docker.io/me"}, Go: "go1.26.8",
		},
		Images: []lock.Image{
			{
				Name: "app", Repository: "ghcr.io/me/app", Copies: []string{"docker.io/me/app"},
				Tags: []string{"1.0.0", "1.0"}, MediaType: types.OCIImageIndex, Digest: hash("1"),
				PlatformTags: []lock.PlatformTag{
					{
						Tag: "1.0.0-linux", Platforms: []platform.Platform{linux}, MediaType: types.OCIManifestSchema1,
						Digest: hash("2"),
					},
					{
						Tag: "1.0.0-both", Platforms: []platform.Platform{linux, windows}, MediaType: types.OCIImageIndex,
						Digest: hash("4"),
					},
				},
				FloatingTags: []lock.FloatingTag{{
					Tag: "latest", Repository: "ghcr.io/me/app",
					Kept: "a newer one is there",
				}, {Tag: "latest", Repository: "docker.io/me/app"}},
				Children: []lock.Child{
					{
						Platform: linux, MediaType: types.OCIManifestSchema1,
						Digest: hash("2"), Base: &lock.Base{Name: "builtin:static", Digest: hash("9")},
					},
					{
						Platform: windows, OSVersion: windows.OSVersion, MediaType: types.OCIManifestSchema1,
						Digest: hash("3"), Base: nanoserver,
						CopiedFrom: []lock.Base{{Name: "busybox@" + hash("d").String(), Digest: hash("d")}},
					},
				},
			},
			{ // the same manifest under another name
				Name: "single", Repository: "ghcr.io/me/single", Copies: []string{"docker.io/me/single"},
				Tags: []string{"2.0.0"}, MediaType: types.OCIManifestSchema1, Digest: hash("3"),
				Children: []lock.Child{{
					Platform: windows, OSVersion: windows.OSVersion,
					MediaType: types.OCIManifestSchema1, Digest: hash("3"), Base: nanoserver,
				}},
			},
		},
		Charts: []lock.Chart{{
			Name: "app", Version: "1.0.0", Repository: "ghcr.io/me/charts/app",
			Copies: []string{"docker.io/me/charts/app"}, Tags: []string{"1.0.0"},
			FloatingTags: []lock.FloatingTag{{Tag: "1", Repository: "ghcr.io/me/charts/app"}}, Digest: hash("5"),
			File: lock.ChartFile{Name: "app-1.0.0.tgz", Digest: hash("6")},
		}},
		ThirdParty: []lock.ThirdParty{
			{Reference: "registry.k8s.io/pause:3.10", Digest: hash("e")},
			{Reference: "x", Omitted: "it is not wanted"},
		},
		Artifacts: []lock.Artifact{{File: "app.linux-amd64", Digest: hash("7")}, {File: "app", Digest: hash("7")}},
		Compilers: []lock.Compiler{{
			Platform: windows, Command: "/usr/bin/x86_64-w64-mingw32-gcc",
			Version: "gcc (GCC) 12",
		}},
		Prebuilt: []lock.Prebuilt{
			{Name: "csi", Platform: linux, Digest: hash("f"), From: "signed/a b.exe"},
			{
				Name: "dl", Platform: linux, Digest: hash("f"), From: "https://example.com/x.zip", Member: "x",
				ArchiveDigest: hash("a"),
			},
		},
	}
	return l, provenance.Inputs{
		Files: []provenance.File{{Name: "release.yaml", SHA256: hash("0").Hex}}, Archive: "app-1.0.0.inputs.tar.gz",
		SourceDateEpoch: true, Builder: "https://example.com/me",
		Materials: []lock.Material{
			{URI: "app-1.0.0.inputs.tar.gz", SHA256: hash("c").Hex, Path: "product/slipway.yaml"},
			{URI: "pkg:golang/github.com/slipway-dev/slipway@v1.4.0", DirHash: hash("1").Hex},
			{URI: "pkg:golang/golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64", Local: true},
			{
				URI: "pkg:golang/example.com/app@v1.0.0", Name: "app", DirHash: hash("2").Hex,
				GitCommit: strings.Repeat("a", 40), Revision: "aaaaaaa", Proven: true,
			},
			{
				URI: "source:own", Name: "own", Own: true, Path: "product",
				Revision: "abc", Created: time.Date(2025, 1, 1, 1, 0, 0, 0, time.FixedZone("", 3600)),
			},
		},
	}
}

// TestMake checks what a statement has, in a short form.
func TestMake(t *testing.T) {
	l, in := example(t)
	s, err := provenance.Make(l, in)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if decoded, err := provenance.Decode(text); err != nil || !cmp.Equal(s, decoded) {
		t.Errorf("%v: %s", err, cmp.Diff(s, decoded))
	}
	for _, line := range []string{"newer", "finishedOn", "invocationId"} {
		if strings.Contains(string(text), line) {
			t.Errorf("the statement has %s", line)
		}
	}
	checkLists(t, s)
	checkParameters(t, s, in)

	// The order of images, names and materials does not matter, and a snapshot names no registry.
	slices.Reverse(in.Materials)
	slices.Reverse(l.Images)
	again, err := provenance.Make(l, in)
	if d := cmp.Diff(s, again); err != nil || d != "" {
		t.Errorf("in another order: %v %s", err, d)
	}
	l.Snapshot, in.Builder = true, ""
	snapshot, err := provenance.Make(l, in)
	if err != nil || snapshot.Predicate.BuildDefinition.ExternalParameters.Registries != nil ||
		snapshot.Predicate.RunDetails.Builder.ID != provenance.LocalBuilder {
		t.Errorf("%+v, %v", snapshot.Predicate, err)
	}
}

// checkLists checks the subjects and dependencies of the example in a short form.
func checkLists(t *testing.T, s *provenance.Statement) {
	t.Helper()
	var subjects, dependencies []string
	for _, sub := range s.Subjects {
		a := sub.Annotations
		line := strings.Join([]string{sub.Digest.SHA256[:1], sub.Name, a.Kind, strings.Join(a.Names, ","), a.Platform},
			"|")
		if len(a.Floating) > 0 {
			line += "|floating " + strings.Join(a.Floating, ",")
		}
		for _, i := range a.Index {
			line += "|" + i[:1]
		}
		subjects = append(subjects, line)
	}
	if d := cmp.Diff([]string{
		"0|release.yaml|file|release.yaml|",
		"1|ghcr.io/me/app:1.0.0|index|docker.io/me/app:1.0,docker.io/me/app:1.0.0,ghcr.io/me/app:1.0,ghcr.io/me/app:1.0.0||floating docker.io/me/app:latest,ghcr.io/me/app:latest",
		"2|ghcr.io/me/app:1.0.0 linux/amd64|manifest|docker.io/me/app:1.0.0-linux,ghcr.io/me/app:1.0.0-linux|linux/amd64|1|4",
		"3|ghcr.io/me/app:1.0.0 windows/amd64:10.0.20348.3207|manifest|docker.io/me/single:2.0.0,ghcr.io/me/single:2.0.0|windows/amd64:10.0.20348.3207|1|4",
		"4|ghcr.io/me/app:1.0.0-both|index|docker.io/me/app:1.0.0-both,ghcr.io/me/app:1.0.0-both|",
		"5|ghcr.io/me/charts/app:1.0.0|chart|docker.io/me/charts/app:1.0.0,ghcr.io/me/charts/app:1.0.0||floating ghcr.io/me/charts/app:1",
		"6|app-1.0.0.tgz|file|app-1.0.0.tgz|",
		"7|app|file|app,app.linux-amd64|",
	}, subjects); d != "" {
		t.Errorf("subjects (-want +got):\n%s", d)
	}
	for _, dep := range s.Predicate.BuildDefinition.ResolvedDependencies {
		a := dep.Annotations
		digest := dep.Digest.SHA256 + dep.Digest.DirHash + dep.Digest.GitCommit
		dependencies = append(dependencies,
			strings.Join([]string{
				a.Kind, dep.URI, digest[:min(1, len(digest))], a.Platform, a.Source,
				a.Path, a.Created,
			}, "|"))
	}
	if d := cmp.Diff([]string{
		"|app-1.0.0.inputs.tar.gz|c||||",
		"program|file:signed/a%20b.exe|f|linux/amd64|||",
		"program|https://example.com/x.zip|a|linux/amd64|||",
		"compiler|pkg:generic/x86_64-w64-mingw32-gcc@gcc%20%28GCC%29%2012||windows/amd64:10.0.20348.3207|||",
		"source|pkg:golang/example.com/app@v1.0.0|2||app||",
		"base|pkg:golang/github.com/slipway-dev/slipway#image/base/static|9||||",
		"slipway|pkg:golang/github.com/slipway-dev/slipway@v1.4.0|1||||",
		"toolchain|pkg:golang/golang.org/toolchain@v0.0.1-go1.26.8.linux-amd64|||||",
		"base|pkg:oci/busybox@sha256%3A" + hash("d").Hex + "?repository_url=docker.io/library/busybox|d||||",
		"base|pkg:oci/nanoserver@sha256%3A" + hash("8").Hex +
			"?repository_url=mcr.microsoft.com/windows/nanoserver&tag=ltsc2022|8||||",
		"image|pkg:oci/pause@sha256%3A" + hash("e").Hex + "?repository_url=registry.k8s.io/pause&tag=3.10|e||||",
		"source|source:own|||own|product|2025-01-01T00:00:00Z",
	}, dependencies); d != "" {
		t.Errorf("dependencies (-want +got):\n%s", d)
	}
}

func checkParameters(t *testing.T, s *provenance.Statement, in provenance.Inputs) {
	t.Helper()
	want := provenance.Parameters{
		Name: "app", Version: "1.0.0", Channel: "stable", Created: time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC),
		SourceDateEpoch: true,
		Registries:      []string{"ghcr.io/me", "docker.io/me"}, Omitted: []string{"x"},
		Inputs: "app-1.0.0.inputs.tar.gz", Product: "product/slipway.yaml",
	}
	if d := cmp.Diff(want, s.Predicate.BuildDefinition.ExternalParameters); d != "" {
		t.Errorf("parameters (-want +got):\n%s", d)
	}
	if b := s.Predicate.RunDetails.Builder; b.ID != in.Builder || b.Version["slipway"] != "v1.4.0" {
		t.Errorf("builder %+v", b)
	}
}
