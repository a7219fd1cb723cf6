package lock_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
)

var update = flag.Bool("update", false, "rewrite golden files")

func hash(c string) v1.Hash { return v1.Hash{Algorithm: "sha256", Hex: strings.Repeat(c, 64)} }

// parse reads a platform as a lock has it.
func parse(s string) (p platform.Platform) {
	if err := p.UnmarshalText([]byte(s)); err != nil {
		panic(err)
	}
	return p
}

// example returns a lock in which every field is set.
func example() *lock.Lock {
	child := func(on, c string) lock.Child {
		return lock.Child{
			Platform: parse(on), MediaType: types.OCIManifestSchema1, Digest: hash(c),
			Size: 500, Config: hash("c"), LayerBytes: 12345,
		}
	}
	windows := child("windows/amd64:10.0.17763.6893", "2")
	windows.OSVersion = "10.0.17763.6893"
	windows.Base = &lock.Base{
		Name:   "mcr.microsoft.com/windows/nanoserver@" + hash("b").String(),
		Digest: hash("b"), Stub: true,
	}
	windows.CopiedFrom = []lock.Base{{
		Name:   "mcr.microsoft.com/windows/servercore@" + hash("8").String(),
		Digest: hash("8"), Stub: true,
	}}
	life := child("linux/amd64", "4")
	life.ExtraOS = []string{"linux", "windows"}
	return &lock.Lock{
		SchemaVersion: 1, Release: lock.Release{
			Name: "kpack", Version: "0.16.1", Created: time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC),
			Registry: "ghcr.io/acme", Snapshot: true,
			Sources: []lock.Source{{
				Name: "kpack", Module: "github.com/pivotal/kpack@v0.16.1", Sum: "h1:x=",
				Revision: "7188425",
			}},
		},
		Images: []lock.Image{
			{
				Name: "completion", Kind: "dockerfile", Repository: "ghcr.io/acme/kpack/completion",
				Tags: []string{"0.16.1"}, MediaType: types.OCIImageIndex,
				Digest: hash("a"), Size: 900,
				Children: []lock.Child{child("linux/amd64", "1"), windows},
				Referrers: []oci.Referrer{{
					ArtifactType: "application/spdx+json", MediaType: types.OCIManifestSchema1,
					Digest: hash("d"), Size: 3,
				}},
			},
			{
				Name: "lifecycle", Kind: "lifecycle", Repository: "ghcr.io/acme/kpack/lifecycle",
				Tags: []string{"0.16.1"}, MediaType: types.OCIManifestSchema1,
				Digest: hash("4"), Size: 500, Children: []lock.Child{life},
			},
		},
		ThirdParty: []lock.ThirdParty{
			{
				Reference: "registry.k8s.io/pause:3.10", MediaType: types.DockerManifestList, Digest: hash("e"),
				Size: 2000, Platforms: []platform.Platform{parse("linux/amd64"), parse("windows/amd64:10.0.20348.1")},
				Fallbacks: []lock.Fallback{{
					Platform: parse("windows/amd64:ltsc2025"),
					Runs:     parse("windows/amd64:10.0.20348.1"),
				}},
				Referrers: []oci.Referrer{{
					ArtifactType: "application/x", MediaType: types.OCIManifestSchema1,
					Digest: hash("f"), Size: 4, Subject: hash("9"), Tag: "sha256-" + hash("9").Hex + ".sig",
				}},
			},
			{Reference: "registry.k8s.io/other:1", Omitted: "no network"},
		},
		Artifacts: []lock.Artifact{
			{
				File: "kp.linux-amd64", Platform: platform.Platform{OS: "linux", Architecture: "amd64"}, Digest: hash("7"),
				Size: 70, Executable: true,
			},
			{
				File: "kp.linux-amd64.tar.gz", Platform: platform.Platform{OS: "linux", Architecture: "amd64"},
				Digest: hash("0"), Size: 71,
			},
		},
	}
}

func TestFile(t *testing.T) {
	l := example()
	path := filepath.Join(t.TempDir(), lock.Name)
	if err := l.Write(path); err != nil {
		t.Fatal(err)
	}
	got, err := lock.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(l, got); d != "" {
		t.Error(d)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "lock.golden")
	if *update {
		if err := os.WriteFile(golden, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(b)); d != "" {
		t.Errorf("the format changed: if it must, think of readers of the old one, then run with -update\n%s", d)
	}
}

func TestDecodeFails(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "not the lock of a release",
		"[]":                              "not the lock of a release",
		"{}":                              "schemaVersion is missing",
		`{"schemaVersion":2}`:             "use a newer slipway",
		`{"schemaVersion":2,"new":1}`:     "use a newer slipway",
		`{"schemaVersion":-1}`:            "schemaVersion",
		`{"schemaVersion":1,"unknown":1}`: "unknown",
		`{"schemaVersion":1} {}`:          "more than one value is in it, from byte 20 on",
		`{"schemaVersion":1,"images":[{"digest":"md5:1"}]}`:                                    "hash",
		`{"schemaVersion":1,"images":[{"name":"a"}]}`:                                          `image "a": ":" is not its name`,
		`{"schemaVersion":1,"images":[{"name":"a","repository":"ghcr.io/acme","tags":["1"]}]}`: `image "a": a digest is missing`,
		`{"buildVersion":1}`: "this is what slipway stage build made: " +
			"run slipway stage publish first",
		`{"partVersion":1,"selected":["linux/amd64"]}`: "this is a part of a release: " +
			"join all parts with slipway merge first",
		`{"schemaVersion":1,"thirdParty":[{"reference":"a"}]}`: `image "a": the digest is missing`,
		`{"schemaVersion":1,"thirdParty":[{"reference":"a","digest":"sha256:` + strings.Repeat("a", 64) +
			`","referrers":[{}]}]}`: `image "a": the digest of a referrer is missing`,
		`{"schemaVersion":1,"images":[{"name":"a","repository":"ghcr.io/acme/../x","tags":["1"]}]}`: `".." is not a part of a repository's name`,
		`{"schemaVersion":1,"images":[{"name":"a","repository":"../acme","tags":["1"]}]}`:           `".." is not a host`,
		`{"schemaVersion":1,"images":[{"name":"a","repository":"ghcr.io/acme","tags":[".."]}]}`:     `".." is not a tag`,
		`{"schemaVersion":1,"images":[{"name":"a","repository":"ghcr.io/acme","tags":["1"],"digest":"sha256:` +
			strings.Repeat("a", 64) + `","referrers":[{"tag":"latest","digest":"sha256:` + strings.Repeat("a", 64) +
			`"}]}]}`: `a referrer has "latest", which is not a tag of cosign`,
		`{"schemaVersion":1,"images":[{"children":[{"platform":"plan9"}]}]}`: "platform",
	} {
		_, err := lock.Decode(strings.NewReader(text))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
	if _, err := lock.Decode(bytes.NewReader(make([]byte, 65<<20))); err == nil ||
		!strings.Contains(err.Error(), "larger than 64 MiB") {
		t.Errorf("a huge file: %v", err)
	}
	path := filepath.Join(t.TempDir(), "x.json")
	if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := lock.Read(path); err == nil || !strings.HasPrefix(err.Error(), path) {
		t.Errorf("the error does not begin with the file: %v", err)
	}
}

func TestQuestions(t *testing.T) {
	l := example()
	i, ok := l.Image("completion")
	if !ok || i.Reference() != "ghcr.io/acme/kpack/completion@"+hash("a").String() ||
		i.Tagged() != "ghcr.io/acme/kpack/completion:0.16.1" {
		t.Errorf("got %v %s %s", ok, i.Reference(), i.Tagged())
	}
	if _, ok := l.Image("none"); ok {
		t.Error("an image that is not there was found")
	}
	if !l.HasStubs() {
		t.Error("the stub was not seen")
	}
	l.Images[0].Children[1].Base.Stub, l.Images[0].Children[1].CopiedFrom = false, nil
	if l.HasStubs() {
		t.Error("a stub was seen")
	}
}

func FuzzDecode(f *testing.F) {
	b, err := example().Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte(`{"schemaVersion":1}`))
	f.Add([]byte(
		`{"schemaVersion":1,"created":"2025-01-16T21:57:50+02:00","thirdParty":[{"reference":"x","omitted":"y"}]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		l, err := lock.Decode(bytes.NewReader(b))
		if err != nil {
			return
		}
		first, err := l.Encode()
		if err != nil {
			t.Fatal(err)
		}
		again, err := lock.Decode(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, first)
		}
		second, err := again.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first, second) {
			t.Errorf("%s\nis not\n%s", first, second)
		}
		for _, i := range l.Images {
			for _, c := range i.Children {
				if err := c.Platform.Check(); err != nil {
					t.Error(err)
				}
			}
		}
		p := partOf(l)
		lock.Merge(p, p) //nolint:errcheck // it only must not panic
	})
}
