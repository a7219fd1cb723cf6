package audit_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
)

const (
	manyRepos, manyTags = 50, 10
	manyEntries         = 3
)

// many pushes 500 indexes of 3 entries each, and returns the path of a list of them, twice each.
// The indexes of a repository list the same images.
func many(t *testing.T, r *registrytest.Server) string {
	t.Helper()
	var list strings.Builder
	for n := range manyRepos {
		repo := r.Repo(t, fmt.Sprintf("app%02d", n))
		i := indextest.Index(t, "linux/amd64", "linux/arm64", w2022)
		for tag := range manyTags {
			ref := repo.Tag(fmt.Sprintf("1.%d.0", tag))
			named, ok := mutate.Annotations(i, map[string]string{"version": ref.TagStr()}).(v1.ImageIndex)
			if !ok {
				t.Fatal("no index")
			}
			must(t, remote.WriteIndex(ref, named))
			fmt.Fprintf(&list, "%s\n%s # again\n", ref, ref)
		}
	}
	r.Reset()
	return filepath.Join(write(t, map[string]string{"images.txt": list.String()}), "images.txt")
}

// TestMany counts what is asked for 500 references, and asks a registry that limits their rate:
// each is judged as before.
func TestMany(t *testing.T) {
	r := registrytest.Serve(t)
	list := many(t, r)
	o := network.Options{Wait: time.Millisecond, Jobs: 8}
	first := lines(report(t, audit.NewReader(o), lint.IndexOptions{Now: now}, list), filepath.Dir(list))
	calls, _ := r.Reset()
	got := map[string]int{}
	for _, c := range calls {
		switch {
		case strings.Contains(c, "/manifests/sha256:"):
			got["manifests"]++
		case strings.Contains(c, "/manifests/"):
			got["indexes"]++
		case strings.Contains(c, "/blobs/"):
			got["configurations"]++
		case strings.Contains(c, "/tags/list"):
			got["tags"]++
		case strings.Contains(c, "/referrers/"):
			got["referrers"]++
		default:
			t.Errorf("unexpected: %s", c)
		}
	}
	const images = manyRepos * manyEntries
	want := map[string]int{
		"indexes": manyRepos * manyTags, "manifests": images, "configurations": images, "tags": manyRepos,
		"referrers": manyRepos * manyTags, // of the indexes alone, since they have none
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(first) != manyRepos*manyTags*2 { // for 2019 and 2025
		t.Errorf("%d findings", len(first))
	}
	var n atomic.Int64
	r.Disturb(func(w http.ResponseWriter, _ *http.Request) bool {
		if n.Add(1)%10 != 0 {
			return false
		}
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return true
	})
	again := lines(report(t, audit.NewReader(o), lint.IndexOptions{Now: now}, list), filepath.Dir(list))
	if diff := cmp.Diff(first, again); diff != "" {
		t.Errorf("with 429: %s", diff)
	}
}

// TestStalls: an image whose registry stalls, refuses, lies or breaks off could not be read, and
// the others are judged.
func TestStalls(t *testing.T) {
	r := registrytest.Serve(t)
	var list strings.Builder
	for _, name := range []string{"well", "stalls", "lies", "refuses", "website", "breaks"} {
		fmt.Fprintln(&list, push(t, r.Repo(t, name), "1", "linux/amd64"))
	}
	r.Disturb(func(w http.ResponseWriter, q *http.Request) bool {
		switch {
		case strings.Contains(q.URL.Path, "/stalls/manifests/1"):
			r.Hang(q)
		case strings.Contains(q.URL.Path, "/lies/manifests/sha256"):
			fmt.Fprint(w, `{"schemaVersion": 2}`)
		case strings.Contains(q.URL.Path, "/refuses/"):
			w.WriteHeader(http.StatusForbidden)
		case strings.Contains(q.URL.Path, "/website/"):
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>\x1b[31mred")
		case strings.Contains(q.URL.Path, "/breaks/manifests/1"):
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, "{")
		default:
			return false
		}
		return true
	})
	dir := write(t, map[string]string{"images.txt": list.String()})
	reading := audit.NewReader(network.Options{
		Wait: time.Millisecond, Idle: 100 * time.Millisecond, GiveUp: 200 * time.Millisecond, Attempts: 2, Jobs: 6,
	})
	got := lines(report(t, reading, lint.IndexOptions{Now: now}, filepath.Join(dir, "images.txt")), dir)
	want := []string{
		"images.txt:2  unread", "images.txt:3 linux/amd64 unread", "images.txt:4  unread", "images.txt:5  unread", "images.txt:6  unread",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
