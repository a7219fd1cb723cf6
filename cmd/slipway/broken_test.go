package main

import (
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/rogpeppe/go-internal/testscript"
)

// brokenIndex REFERENCE [PLATFORM ...] pushes an index whose entries for Windows have no
// os.version, as tools make it that put indexes together from the platforms of tags.
func brokenIndex(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: brokenindex reference [platform ...]")
	}
	ref, err := name.ParseReference(args[0])
	ts.Check(err)
	platforms := []v1.Platform{
		{OS: "linux", Architecture: "amd64"},
		{OS: "windows", Architecture: "amd64", OSVersion: "10.0.17763.1"},
		{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.1"},
	}
	if len(args) > 1 {
		platforms = nil
	}
	for _, text := range args[1:] {
		p, err := v1.ParsePlatform(text)
		ts.Check(err)
		platforms = append(platforms, *p)
	}
	index := mutate.IndexMediaType(empty.Index, types.DockerManifestList)
	for _, p := range platforms {
		img, err := random.Image(64, 1)
		ts.Check(err)
		cf, err := img.ConfigFile()
		ts.Check(err)
		cf = cf.DeepCopy()
		cf.OS, cf.Architecture, cf.OSVersion = p.OS, p.Architecture, p.OSVersion
		img, err = mutate.ConfigFile(img, cf)
		ts.Check(err)
		p.OSVersion = ""
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &p}})
	}
	ts.Check(remote.WriteIndex(ref, index))
}
