package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/sync/errgroup"
)

// The images of audit: indexes of as many repositories with as many tags each, and what they list.
const (
	auditRepositories, auditTags = 50, 10
	auditLatency                 = 50 * time.Millisecond
	auditJobs                    = 16 // requests at a time, as slipway audit has it
)

// audit reads the documents of 500 images, and what refers to them, from a registry that takes 50
// ms for each answer, with slipway and with crane's library, which asks for the same, each once.
func (b *bench) audit(ctx context.Context) (comparison, error) {
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)), registry.WithReferrersSupport(true))
	var slow bool
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if slow {
			time.Sleep(auditLatency)
		}
		inner.ServeHTTP(w, q)
	}))
	defer s.Close()
	list := filepath.Join(b.tmp, "audit.txt")
	if err := fillForAudit(ctx, strings.TrimPrefix(s.URL, "http://"), list); err != nil {
		return comparison{}, err
	}
	slow = true
	self, err := os.Executable()
	if err != nil {
		return comparison{}, err
	}
	var all []figure
	for _, way := range []struct {
		name string
		args []string
	}{
		{"slipway audit", []string{b.slipway, "audit", "-json", list}},
		{"crane's library, the same documents", []string{self, "documents", list}},
	} {
		var best figure
		for n := range 3 {
			f, err := measure(ctx, way.name, way.args)
			if err != nil {
				return comparison{}, err
			}
			if n == 0 || f.seconds < best.seconds {
				best = f
			}
		}
		all = append(all, best)
	}
	title := fmt.Sprintf("Auditing %d references of a registry that takes %s for an answer",
		auditRepositories*auditTags, auditLatency)
	return comparison{title: title, ours: all[0], other: all[1:]}, nil
}

// fillForAudit pushes the images, and writes the list of their references.
func fillForAudit(ctx context.Context, host, list string) error {
	var text strings.Builder
	for n := range auditRepositories {
		repo, err := name.NewRepository(fmt.Sprintf("%s/app%02d", host, n))
		if err != nil {
			return err
		}
		base, err := auditIndex()
		if err != nil {
			return err
		}
		for tag := range auditTags {
			ref := repo.Tag(fmt.Sprintf("1.%d.0", tag))
			i, ok := mutate.Annotations(base, map[string]string{"version": ref.TagStr()}).(v1.ImageIndex)
			if !ok {
				return errors.New("adding annotations did not return an index")
			}
			if err := remote.WriteIndex(ref, i, remote.WithContext(ctx)); err != nil {
				return err
			}
			fmt.Fprintln(&text, ref)
		}
	}
	return os.WriteFile(list, []byte(text.String()), 0o644)
}

func auditIndex() (v1.ImageIndex, error) {
	i := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range []v1.Platform{
		{OS: "linux", Architecture: "amd64"},
		{OS: "linux", Architecture: "arm64"},
		{OS: "windows", Architecture: "amd64", OSVersion: "10.0.20348.3091"},
	} {
		img, err := random.Image(64, 1)
		if err != nil {
			return nil, err
		}
		cf, err := img.ConfigFile()
		if err != nil {
			return nil, err
		}
		cf = cf.DeepCopy()
		cf.OS, cf.Architecture, cf.OSVersion = p.OS, p.Architecture, p.OSVersion
		if img, err = mutate.ConfigFile(img, cf); err != nil {
			return nil, err
		}
		i = mutate.AppendManifests(i, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &p}})
	}
	return i, nil
}

// atMost lets as many requests through at a time as it has room.
type atMost chan struct{}

func (a atMost) RoundTrip(q *http.Request) (*http.Response, error) {
	a <- struct{}{}
	defer func() { <-a }()
	return remote.DefaultTransport.RoundTrip(q)
}

// documents runs in a subprocess of the benchmark, and reads the documents that slipway audit
// reads for a list, with crane's library.
func documents(ctx context.Context, list string) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	puller, err := remote.NewPuller(remote.WithTransport(make(atMost, auditJobs)))
	if err != nil {
		return err
	}
	var seen sync.Map
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8 * auditJobs)
	for line := range strings.Lines(string(text)) {
		ref, err := name.ParseReference(strings.TrimSpace(line))
		if err != nil {
			return err
		}
		g.Go(func() error {
			if _, again := seen.LoadOrStore(ref.Context().Name(), true); !again {
				if _, err := puller.List(ctx, ref.Context()); err != nil {
					return err
				}
			}
			top, err := puller.Get(ctx, ref)
			if err != nil {
				return err
			}
			i, err := top.ImageIndex()
			if err != nil {
				return err
			}
			m, err := i.IndexManifest()
			if err != nil {
				return err
			}
			if _, err := remote.Referrers(ref.Context().Digest(top.Digest.String()), remote.Reuse(puller)); err != nil {
				return err
			}
			return entries(ctx, puller, &seen, ref.Context(), m)
		})
	}
	return g.Wait()
}

// entries reads the manifest and the configuration of each entry that was not read before.
func entries(ctx context.Context, puller *remote.Puller, seen *sync.Map, repo name.Repository,
	m *v1.IndexManifest,
) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(auditJobs)
	for _, d := range m.Manifests {
		if _, again := seen.LoadOrStore(repo.Name()+d.Digest.String(), true); again {
			continue
		}
		g.Go(func() error {
			got, err := puller.Get(ctx, repo.Digest(d.Digest.String()))
			if err != nil {
				return err
			}
			img, err := got.Image()
			if err != nil {
				return err
			}
			_, err = img.RawConfigFile()
			return err
		})
	}
	return g.Wait()
}
