package verifiers

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/slipway-dev/slipway/internal/signature"
)

// artifact is a manifest with one layer: a bundle that is a referrer of a subject, or an old
// signature.
type artifact struct {
	tag      string // of an old signature
	manifest v1.Manifest
	layers   [][]byte
}

// evidence returns what a registry has about a subject: its referrers, and the old signature
// under its tag.
func evidence(t *testing.T, repo name.Repository, subject v1.Hash) []artifact {
	t.Helper()
	idx, err := remote.Referrers(repo.Digest(subject.String()))
	if err != nil {
		t.Fatal(err)
	}
	list, err := idx.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	var all []artifact
	for _, d := range list.Manifests {
		if a := load(t, repo.Digest(d.Digest.String()), ""); a.manifest.ArtifactType == signature.BundleType {
			all = append(all, a)
		}
	}
	tag := strings.Replace(subject.String(), ":", "-", 1) + ".sig"
	if _, err := remote.Head(repo.Tag(tag)); err == nil {
		all = append(all, load(t, repo.Tag(tag), tag))
	}
	return all
}

func load(t *testing.T, ref name.Reference, tag string) artifact {
	t.Helper()
	d, err := remote.Get(ref)
	if err != nil {
		t.Fatal(err)
	}
	a := artifact{tag: tag}
	if err := json.Unmarshal(d.Manifest, &a.manifest); err != nil {
		t.Fatal(err)
	}
	for _, l := range append([]v1.Descriptor{a.manifest.Config}, a.manifest.Layers...) {
		layer, err := remote.Layer(ref.Context().Digest(l.Digest.String()))
		if err != nil {
			t.Fatal(err)
		}
		r, err := layer.Compressed()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			t.Fatal(err)
		}
		a.layers = append(a.layers, b)
	}
	return a
}

// store puts the artifact into a repository, where it refers to that subject.
func (a artifact) store(t *testing.T, repo name.Repository, subject v1.Descriptor) {
	t.Helper()
	m := a.manifest
	m.Layers = nil
	for n, b := range a.layers {
		media := a.manifest.Config.MediaType
		if n > 0 {
			media = a.manifest.Layers[n-1].MediaType
		}
		layer := static.NewLayer(b, media)
		if err := remote.WriteLayer(repo, layer); err != nil {
			t.Fatal(err)
		}
		digest, err := layer.Digest()
		if err != nil {
			t.Fatal(err)
		}
		d := v1.Descriptor{MediaType: media, Size: int64(len(b)), Digest: digest}
		if n == 0 {
			m.Config = d
			continue
		}
		d.Annotations = a.manifest.Layers[n-1].Annotations
		m.Layers = append(m.Layers, d)
	}
	tag := a.tag
	if tag != "" {
		tag = strings.Replace(subject.Digest.String(), ":", "-", 1) + ".sig"
	} else {
		m.Subject = &subject
	}
	b, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	digest, _, err := v1.SHA256(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	var ref name.Reference = repo.Digest(digest.String())
	if tag != "" {
		ref = repo.Tag(tag)
	}
	if err := remote.Put(ref, raw{b, m.MediaType}); err != nil {
		t.Fatal(err)
	}
}

// raw is a manifest as it is.
type raw struct {
	text  []byte
	media types.MediaType
}

func (r raw) RawManifest() ([]byte, error)        { return r.text, nil }
func (r raw) MediaType() (types.MediaType, error) { return r.media, nil }
