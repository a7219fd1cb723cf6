package audit_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containerd/platforms"
	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	specs "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/internal/testing/archivetest"
	"github.com/slipway-dev/slipway/internal/testing/indextest"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

var now = time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC)

// Platforms of Windows images, with revisions.
const (
	w2019, w2022, w2025 = indextest.Windows2019, indextest.Windows2022, indextest.Windows2025
)

// TestFaults pushes each image to a registry, and writes it as a layout and as archives: the
// findings are the same.
func TestFaults(t *testing.T) {
	r := registrytest.Serve(t)
	for _, tc := range indextest.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			i := indextest.Index(t, tc.Entries...)
			ref := r.Repo(t, tc.Name).Tag("1")
			must(t, remote.WriteIndex(ref, i))
			dir := filepath.Join(t.TempDir(), "layout")
			_, err := layout.Write(dir, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
				Add:        i,
				Descriptor: v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": "1"}},
			}))
			must(t, err)
			for _, arg := range []string{ref.String(), dir, archivetest.Pack(t, dir, "tar"), archivetest.Pack(t, dir, "gz"), archivetest.Pack(t, dir, "zst")} {
				if diff := cmp.Diff(tc.Want, found(t, arg)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", arg, diff)
				}
			}
		})
	}
}

// TestFix mends each image into another repository: the index has no error then and the newest
// Windows entry first, and a second time nothing is to be mended.
func TestFix(t *testing.T) {
	r := registrytest.Serve(t)
	for _, tc := range indextest.Cases {
		t.Run(tc.Name, func(t *testing.T) {
			ref := r.Repo(t, tc.Name).Tag("1")
			must(t, remote.WriteIndex(ref, indextest.Index(t, tc.Entries...)))
			to := r.Repo(t, "mended-"+tc.Name)
			dry, err := reader().Fix(t.Context(), ref.String(), audit.Fix{To: to, Tag: "1", DryRun: true})
			must(t, err)
			done, err := reader().Fix(t.Context(), ref.String(), audit.Fix{To: to, Tag: "1"})
			must(t, err)
			if diff := cmp.Diff(dry.Changes, done.Changes); diff != "" || dry.After != done.After || dry.To != "" {
				t.Errorf("a dry run: %s", diff)
			}
			mends := func(f string) bool { return !strings.HasPrefix(f, "note ") || strings.Contains(f, "index-order") }
			wrong := slices.ContainsFunc(tc.Want, mends)
			if changed := len(done.Changes) > 0; changed != wrong || changed != (done.Before != done.After) {
				t.Fatalf("it changes %q", done.Changes)
			}
			if !wrong {
				return
			}
			for _, f := range found(t, to.Tag("1").String()) {
				if mends(f) {
					t.Errorf("the mended index has %s", f)
				}
			}
			again, err := reader().Fix(t.Context(), to.Tag("1").String(), audit.Fix{To: to, Tag: "2"})
			must(t, err)
			if len(again.Changes) > 0 || again.To != "" {
				t.Errorf("mended again: %q", again.Changes)
			}
			// another image under the tag stays there
			must(t, remote.WriteIndex(ref, indextest.Index(t, append(slices.Clone(tc.Entries), "linux/riscv64")...)))
			if _, err := reader().Fix(t.Context(), ref.String(), audit.Fix{To: to, Tag: "1"}); err == nil ||
				!strings.Contains(err.Error(), "already") {
				t.Errorf("a tag that exists: %v", err)
			}
			moved, err := reader().Fix(t.Context(), ref.String(), audit.Fix{To: to, Tag: "1", Move: true})
			must(t, err)
			if d, err := remote.Head(to.Tag("1")); err != nil || d.Digest != moved.After {
				t.Errorf("the tag was not moved: %v, %v", d, err)
			}
		})
	}
}

// hosts are Linux, and Windows hosts of six builds. Those of 10.0.25398 and of later builds than a
// release's run the images of the release before, from Windows Server 2022 on.
var hosts = []string{
	"linux/amd64", "windows/amd64:10.0.14393.1", "windows/amd64:10.0.17763.1", "windows/amd64:10.0.20348.1",
	"windows/amd64:10.0.25398.1", "windows/amd64:10.0.26100.1", "windows/amd64:10.0.26300.1",
}

// TestChosen mends indexes of the shapes of published ones. Then each host takes the image of its
// build, and so does containerd's matcher for it.
func TestChosen(t *testing.T) {
	r := registrytest.Serve(t)
	for shape, want := range map[string][]int{ // by hosts
		"dapr":             {0, -1, 2, 1, 1, 1, 1},
		"gcp-pd-1953":      {0, -1, 2, -1, -1, -1, -1},
		"rancher-46559":    {0, -1, 3, 2, 2, 2, 2},
		"rke2-2025":        {0, -1, 2, 1, 1, 1, 1},
		"containerd-11366": {0, -1, 3, 2, 2, 1, 1},
	} {
		n := slices.IndexFunc(indextest.Cases, func(c indextest.Case) bool { return c.Name == shape })
		ref := r.Repo(t, shape).Tag("1")
		must(t, remote.WriteIndex(ref, indextest.Index(t, indextest.Cases[n].Entries...)))
		done, err := reader().Fix(t.Context(), ref.String(), audit.Fix{To: ref.Context(), Tag: "2"})
		must(t, err)
		i, err := remote.Index(ref.Context().Digest(done.After.String()))
		must(t, err)
		m, err := i.IndexManifest()
		must(t, err)
		var all []platform.Platform
		for _, d := range m.Manifests {
			all = append(all, platform.From(d.Platform))
		}
		for n, host := range hosts {
			p, err := platform.Parse(host)
			must(t, err)
			if got := platform.Best(p, all); got != want[n] {
				t.Errorf("%s: %s takes %d of %v, not %d", shape, host, got, all, want[n])
			}
			if got := matched(p, all); got != want[n] {
				t.Errorf("%s: containerd on %s takes %d of %v, not %d", shape, host, got, all, want[n])
			}
		}
	}
}

// matched returns the image that containerd takes: of those that match the newest, which is its
// rule on Windows.
func matched(host platform.Platform, images []platform.Platform) int {
	m := platforms.NewMatcher(specs.Platform{OS: host.OS, Architecture: host.Architecture, OSVersion: host.OSVersion})
	best := -1
	for n, i := range images {
		if m.Match(specs.Platform{OS: i.OS, Architecture: i.Architecture, OSVersion: i.OSVersion}) &&
			(best < 0 || i.OSVersion > images[best].OSVersion) {
			best = n
		}
	}
	return best
}

// TestMissing removes what an index lists, and damages it.
func TestMissing(t *testing.T) {
	i := indextest.Index(t, "linux/amd64", "linux/arm64")
	m, err := i.IndexManifest()
	must(t, err)
	for name, tc := range map[string]struct {
		do   func(file string) error
		want []string
	}{
		"removed": {os.Remove, []string{"note archive-unused", "note archive-subset"}},
		"damaged": {
			func(file string) error { return os.WriteFile(file, []byte("{}"), 0o644) },
			[]string{"error manifests[1] index-unreadable"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "layout")
			_, err := layout.Write(dir, mutate.AppendManifests(empty.Index, mutate.IndexAddendum{Add: i}))
			must(t, err)
			must(t, tc.do(filepath.Join(dir, "blobs", "sha256", m.Manifests[1].Digest.Hex)))
			for _, arg := range []string{dir, archivetest.Pack(t, dir, "gz")} {
				if diff := cmp.Diff(tc.want, found(t, arg)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", arg, diff)
				}
			}
		})
	}
}

// TestSaved reads an archive as docker save wrote it before it wrote layouts.
func TestSaved(t *testing.T) {
	file := filepath.Join(t.TempDir(), "saved.tar")
	img := indextest.Image(t, w2022, types.DockerManifestSchema2)
	ref := registrytest.Serve(t).Repo(t, "saved").Tag("1")
	must(t, tarball.WriteToFile(file, ref, img))
	if diff := cmp.Diff([]string{"note index-single"}, found(t, file)); diff != "" {
		t.Error(diff)
	}
}

// found returns the findings of arguments.
func found(t *testing.T, args ...string) (all []string) {
	t.Helper()
	return judged(t, reader(), lint.IndexOptions{Now: now}, args...)
}

func reader() audit.Reader { return audit.NewReader(network.Options{Wait: time.Millisecond, Jobs: 4}) }

// judged returns the findings of arguments: severity, path and rule.
func judged(t *testing.T, r audit.Reader, o lint.IndexOptions, args ...string) (all []string) {
	t.Helper()
	made := report(t, r, o, args...)
	for _, f := range made.Findings {
		if f.What == "" {
			t.Errorf("%s says nothing", f.Rule)
		}
		all = append(all, strings.Join(slices.DeleteFunc([]string{string(f.Severity), f.Path, f.Rule}, func(s string) bool {
			return s == ""
		}), " "))
	}
	for _, u := range made.Unread {
		all = append(all, strings.TrimSpace("unread "+u.Path))
	}
	for _, u := range made.Skipped {
		all = append(all, strings.TrimSpace("skipped "+u.Path))
	}
	return all
}

// occurred has the rules that tests have found broken.
var occurred sync.Map

func report(t *testing.T, r audit.Reader, o lint.IndexOptions, args ...string) *lint.Report {
	t.Helper()
	var list []lint.Index
	for _, arg := range args {
		some, more, err := r.Read(t.Context(), arg)
		must(t, err)
		list, o.Found = append(list, some...), append(o.Found, more...)
	}
	made := lint.CheckIndexes(list, o)
	for _, f := range made.Findings {
		occurred.Store(f.Rule, true)
	}
	return made
}

// TestNothing: what is no image is named.
func TestNothing(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "list"), []byte("# none\n"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "bad"), []byte("# two\nregistry.example/a:1\nno image\n"), 0o644))
	release := t.TempDir()
	for _, name := range []string{"a-images.linux-amd64.tar.zst", "a-images.tar.zst"} {
		must(t, os.WriteFile(filepath.Join(release, name), nil, 0o644))
	}
	reader := reader()
	for arg, want := range map[string]string{
		release:                    "name a file in it, such as " + filepath.Join(release, "a-images.tar.zst"),
		filepath.Join(dir, "list"): "names no image",
		filepath.Join(dir, "bad"):  "bad:3:1: \"no image\" is not an image reference",
		dir:                        "has neither index.json nor manifest.json",
		"Not An Image":             "is neither a file nor an image reference",
	} {
		_, _, err := reader.Read(t.Context(), arg)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", arg, err, want)
		}
	}
}

func must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
