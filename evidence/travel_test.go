package evidence_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/publish/promote"
	"github.com/slipway-dev/slipway/registry/transfer"
)

// partlyTagged gives the first image a tag for some of its platforms, which names an index of its
// own.
func partlyTagged(t *testing.T, w *world) {
	t.Helper()
	i := &w.l.Images[0]
	of := i.Children[1:3]
	tag := lock.PlatformTag{Tag: i.Tags[0] + "-some", MediaType: i.MediaType}
	var list []v1.Descriptor
	for _, c := range of {
		tag.Platforms = append(tag.Platforms, c.Platform)
		list = append(list,
			v1.Descriptor{MediaType: c.MediaType, Digest: c.Digest, Size: c.Size, Platform: c.Platform.V1()})
	}
	raw, err := oci.MakeIndex(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tag.Digest, err = w.st.PutBytes(raw); err != nil {
		t.Fatal(err)
	}
	tag.Size = int64(len(raw))
	i.PlatformTags = []lock.PlatformTag{tag}
}

// tally counts the documents of a release that have all three artifacts.
type tally struct{ documents, complete int }

// count counts the documents in images of a bundle or layout.
func (c *tally) count(t *testing.T, from string, images []bundle.Image) {
	t.Helper()
	about := map[v1.Hash]map[v1.Hash]bool{}
	documents := map[v1.Hash]string{}
	for _, i := range images {
		if i.Listed != "" {
			continue
		}
		documents[i.Digest()] = i.Name
		for _, m := range i.Included() {
			documents[m.Desc.Digest] = i.Name
			if m.Platform.OS == "unknown" {
				t.Errorf("%s: %s has an entry for unknown/unknown", from, i.Name)
			}
		}
		for _, r := range i.Referrers {
			subject := r.Subject
			if subject == (v1.Hash{}) {
				subject = i.Digest()
			}
			if about[subject] == nil {
				about[subject] = map[v1.Hash]bool{}
			}
			about[subject][r.Digest] = true
		}
	}
	for h, name := range documents {
		c.add(t, from+": "+name+"@"+h.String(), len(about[h]))
	}
}

func (c *tally) add(t *testing.T, document string, referrers int) {
	t.Helper()
	c.documents++
	if referrers == 3 {
		c.complete++
		return
	}
	t.Errorf("%s: %d artifacts refer to it, want 3", document, referrers)
}

// TestTravels takes a signed release every way that there is, and counts at its end: each
// document of the release that is there has its statement, its SBOM and its signature.
func TestTravels(t *testing.T) {
	w := newWorld(t)
	w.l.Images[0].PlatformTags = nil
	partlyTagged(t, w)
	bundletest.Prove(t, w.st, w.l, w.key)
	dir := t.TempDir()
	targets := append(bundletest.Targets(t), airgap.Target{Name: "demo-images"})
	var paths []string
	for _, f := range bundletest.Pack(t, w.st, w.l, dir, targets...) {
		paths = append(paths, f.Path)
	}
	whole := paths[len(paths)-1]
	verified := func(t *testing.T, path string) {
		t.Helper()
		if _, err := verify(t, policy(w.key), path); err != nil {
			t.Errorf("%s: %v", filepath.Base(path), err)
		}
	}
	way := func(name string, f func(t *testing.T, c *tally)) {
		t.Run(name, func(t *testing.T) {
			c := &tally{}
			if f(t, c); c.documents == 0 {
				t.Error("no document arrived")
			}
			t.Logf("%d of %d documents have all evidence", c.complete, c.documents)
		})
	}
	for n, path := range paths {
		way("bundle "+targets[n].Name, func(t *testing.T, c *tally) {
			c.count(t, path, bundletest.Opened(t, path).Contents().Images)
			verified(t, path)
		})
	}
	way("volumes", func(t *testing.T, c *tally) {
		volumes := t.TempDir()
		v, err := bundle.Split(t.Context(), whole, bundle.SplitOptions{MaxSize: 90_000, Dir: volumes})
		if err != nil || len(v.Volumes) < 2 {
			t.Fatalf("%v, %+v", err, v)
		}
		for _, one := range v.Volumes {
			path := filepath.Join(volumes, one.File)
			b := bundletest.Opened(t, path)
			c.count(t, path, b.Contents().Images)
		}
	})
	way("delta and apply", func(t *testing.T, c *tally) {
		later := bundletest.Later(t, w.st, newWorld(t).l)
		later.Images[0].Referrers = nil // a signature of another form
		bundletest.Prove(t, w.st, later, w.key)
		deltas, err := airgap.PackDelta(t.Context(), w.st, later, []airgap.Target{{Name: "demo-images"}},
			[]string{whole}, airgap.PackOptions{Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "made.tar.zst")
		if _, err := bundle.Apply(t.Context(), deltas[0].Path, whole, out, bundle.ApplyOptions{}); err != nil {
			t.Fatal(err)
		}
		c.count(t, out, bundletest.Opened(t, out).Contents().Images)
		verified(t, out)
	})
	way("extract", func(t *testing.T, c *tally) {
		b := bundletest.Opened(t, whole)
		for _, i := range b.Contents().Images {
			if i.Listed != "" {
				continue
			}
			to := filepath.Join(t.TempDir(), "layout")
			if _, err := b.Extract(t.Context(), i.Name, bundle.ExtractOptions{To: to}); err != nil {
				t.Fatal(err)
			}
			layout, err := bundle.OpenImageLayout(to)
			if err != nil {
				t.Fatal(err)
			}
			if i.Digest() == w.l.Images[0].Digest || len(i.Referrers) > 3 {
				c.count(t, i.Name, []bundle.Image{layout.Image})
			}
		}
	})
	for _, api := range []bool{true, false} {
		way(fmt.Sprintf("private registry, API %v", api), func(t *testing.T, c *tally) {
			r := registrytest.Serve(t, ggcr.WithReferrersSupport(api))
			p, err := airgap.Push(t.Context(), []*bundle.Bundle{bundletest.Opened(t, whole)}, bundletest.To(r))
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range w.l.Images {
				at := slices.IndexFunc(p.Images, func(pushed airgap.PushedImage) bool {
					return pushed.Name == i.Tagged()
				})
				c.registry(t, p.Images[at].Reference, i)
			}
		})
		way(fmt.Sprintf("promote with other names, API %v", api), func(t *testing.T, c *tally) {
			r := registrytest.Serve(t, ggcr.WithReferrersSupport(api))
			o := promote.Options{
				To: []string{r.Host() + "/team"}, From: "registry.example/me",
				Renames: []promote.Rename{{Old: "agent", New: "renamed/agent"}},
			}
			if _, err := promote.Bundle(t.Context(), bundletest.Opened(t, whole), o); err != nil {
				t.Fatal(err)
			}
			for _, i := range w.l.Images {
				to := r.Host() + "/team/" + i.Name
				if i.Name == "agent" {
					to = r.Host() + "/team/renamed/agent"
				}
				c.registry(t, to+"@"+i.Digest.String(), i)
			}
		})
	}
}

// registry counts the documents of an image in a registry.
func (c *tally) registry(t *testing.T, reference string, i lock.Image) {
	t.Helper()
	ref, err := name.NewDigest(reference)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range i.Documents() {
		s := &transfer.Subject{Repo: ref.Context(), Name: i.Name, Digests: []v1.Hash{d.Digest}}
		if err := transfer.New(bundletest.To(registrytest.Serve(t)).Registry).ReadReferrers(t.Context(),
			[]*transfer.Subject{s}); err != nil {
			t.Fatal(err)
		}
		c.add(t, reference+" "+d.Digest.String(), len(s.Referrers))
	}
}
