package consumers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/rancher/wharfie/pkg/tarfile"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/consumertable"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/lock"
)

// groups is what consumers have of the bundles of groups.
var groups = &consumertable.Table{
	Name:    "groups",
	Columns: []string{"consumer", "call", "bundles, in order", "images, after each"},
	Keys:    3,
}

// grouped is a release with two groups in bundles for linux/amd64: core, more, which adds to core,
// and sparse, which is more without the layers of core. Of the images of more, added has a layer of
// core, and alone has none.
type grouped struct {
	dir  string
	key  string
	name []string // of the images of core, and of more
	want map[string][]v1.Hash
}

// parts are the names of its bundles.
const (
	ofAll, ofCore, ofMore, ofSparse = "all", "core", "more", "sparse"
)

func cutGroups(t *testing.T) grouped {
	t.Helper()
	st := storetest.Open(t)
	l := &lock.Lock{SchemaVersion: lock.SchemaVersion, Release: lock.Release{
		Name: "groups", Version: "v1", Registry: "slipway.local", Created: time.Unix(1700000000, 0).UTC(),
	}}
	shared := storetest.Layer(t, "usr/shared", "shared", 100_000)
	for _, i := range []struct {
		name, group string
		shares      bool
	}{{"first", "core", true}, {"second", "core", true}, {"added", "more", true}, {"alone", "more", false}} {
		layers := []v1.Layer{storetest.Layer(t, i.name, i.name, 10_000)}
		if i.shares {
			layers = slices.Insert(layers, 0, shared)
		}
		l.Images = append(l.Images,
			storetest.Index(t, st, i.name, storetest.Child{Platform: parse(t, "linux/amd64"), Layers: layers}))
		last := &l.Images[len(l.Images)-1]
		last.Groups, last.Repository, last.Tags = []string{i.group}, "slipway.local/"+i.name, []string{"v1"}
	}
	g := grouped{dir: filepath.Join(t.TempDir(), "dist"), want: map[string][]v1.Hash{}}
	p, key := parse(t, "linux/amd64"), bundletest.Key(t)
	targets := []airgap.Target{
		{Name: ofAll, Platform: p},
		{Name: ofCore, Platform: p, Groups: []string{"core"}},
		{Name: ofMore, Platform: p, Groups: []string{"more"}},
		{Name: ofSparse, Platform: p, Groups: []string{"more"}, Base: ofCore},
	}
	bundletest.Prove(t, st, l, key)
	files, _, err := airgap.Pack(t.Context(), st, l, targets, airgap.PackOptions{Dir: g.dir})
	if err != nil {
		t.Fatal(err)
	}
	finish(t, g.dir, l, key, targets, files)
	g.key = maintainers(g.dir)
	for _, i := range files[0].Contents.Images {
		g.name = append(g.name, i.Name)
		g.want[i.Name] = []v1.Hash{i.Digest()}
		for _, m := range i.Included() {
			g.want[i.Name] = append(g.want[i.Name], m.Desc.Digest, m.Config.Digest)
			for _, layer := range m.Layers {
				g.want[i.Name] = append(g.want[i.Name], layer.Digest)
			}
		}
	}
	return g
}

func (g grouped) bundle(t *testing.T, part string) packedBundle {
	t.Helper()
	return packedBundle{path: filepath.Join(g.dir, part+".tar.zst"), platform: parse(t, "linux/amd64")}
}

// orders are the ways to give the bundles to a node, with the images that are complete after each.
var orders = []struct {
	parts []string
	have  []int
}{
	{[]string{ofAll}, []int{4}},
	{[]string{ofCore, ofMore}, []int{2, 4}},
	{[]string{ofCore, ofSparse}, []int{2, 4}},
	{[]string{ofSparse, ofCore}, []int{1, 4}},
	{[]string{ofCore, ofMore, ofSparse, ofAll}, []int{2, 4, 4, 4}},
	{[]string{ofSparse}, []int{1}},
}

// testGroups imports the bundles of groups in each order as the agents of k3s and RKE2 do, and asks
// after each which images are complete.
func (c containerd) testGroups(t *testing.T) {
	g := cutGroups(t)
	api, err := client.New(c.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() //nolint:errcheck // everything was read
	for n, order := range orders {
		t.Run(strings.Join(order.parts, ", "), func(t *testing.T) {
			ns := fmt.Sprintf("groups.%d", n)
			ctx := namespaces.WithNamespace(t.Context(), ns)
			var have []int
			for _, part := range order.parts {
				importAll(ctx, t, api, g.bundle(t, part))
				have = append(have, g.complete(t, c, ns))
			}
			if !slices.Equal(have, order.have) {
				t.Errorf("after %q the complete images are %v, want %v", order.parts, have, order.have)
			}
			recordGroups(t, c.version, agentCall, order.parts, have)
		})
	}
}

// complete counts the images of which containerd has every digest, each once, and of which ctr says
// that they are complete: both are the same.
func (g grouped) complete(t *testing.T, c containerd, ns string) (n int) {
	t.Helper()
	content := strings.Fields(c.list(t, ns, "content", "ls", "-q"))
	slices.Sort(content)
	if once := slices.Compact(slices.Clone(content)); len(once) != len(content) {
		t.Errorf("containerd has digests twice: %q", content)
	}
	for _, name := range g.name {
		all := !slices.ContainsFunc(g.want[name], func(h v1.Hash) bool { return !slices.Contains(content, h.String()) })
		said := complete.MatchString(c.list(t, ns, "images", "check", "name=="+name))
		if all != said {
			t.Errorf("containerd has all of %s: %v; ctr images check says %v", name, all, said)
		}
		if said {
			n++
		}
	}
	return n
}

// testGroupsScript runs load-images.sh with the bundles of groups.
func (c containerd) testGroupsScript(t *testing.T) {
	g := cutGroups(t)
	for n, s := range []struct {
		parts []string // that are there
		only  string
		loads []string
		have  int
		fails string
	}{
		{parts: []string{ofAll, ofCore, ofSparse}, loads: []string{ofAll}, have: 4},
		{parts: []string{ofCore, ofSparse}, loads: []string{ofCore, ofSparse}, have: 4},
		{parts: []string{ofCore, ofMore}, loads: []string{ofCore, ofMore}, have: 4},
		{parts: []string{ofAll, ofCore}, only: "core", loads: []string{ofCore}, have: 2},
		{parts: []string{ofSparse}, fails: "sparse.tar.zst has not all layers of its images, and this node lacks some: " +
			"load core.tar.zst first, or copy it here"},
		{parts: []string{ofAll, ofCore}, only: "other", fails: "the release has no bundle of group other alone"},
	} {
		t.Run(strings.Join(s.parts, ", ")+" "+s.only, func(t *testing.T) {
			dir, ns := t.TempDir(), fmt.Sprintf("groups.script.%d", n)
			for _, file := range []string{"load-images.sh", "SHA256SUMS", "SHA256SUMS.sig"} {
				link(t, filepath.Join(g.dir, file), filepath.Join(dir, file))
			}
			for _, part := range s.parts {
				link(t, g.bundle(t, part).path, filepath.Join(dir, part+".tar.zst"))
			}
			cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "load-images.sh"))
			cmd.Env = append(os.Environ(), "SNAPSHOT=yes", "CTR="+c.ctr, "ADDRESS="+c.socket, "NAMESPACE="+ns,
				"CTR_FLAGS=--snapshotter native", "KEY="+g.key)
			if s.only != "" {
				cmd.Env = append(cmd.Env, "ONLY="+s.only)
			}
			out, err := cmd.CombinedOutput()
			if (err != nil) != (s.fails != "") || !strings.Contains(string(out), s.fails) {
				t.Fatalf("load-images.sh: %v\n%s", err, out)
			}
			if s.fails != "" {
				if got := c.names(t, ns); len(got) > 0 || strings.Count(string(out), "load-images.sh: ") != 1 {
					t.Errorf("it fails, and there is %v\n%s", got, out)
				}
				return
			}
			for _, part := range s.loads {
				if !strings.Contains(string(out), "importing "+part+".tar.zst ") {
					t.Errorf("%s is not imported\n%s", part, out)
				}
			}
			if strings.Count(string(out), "importing ") != len(s.loads) {
				t.Errorf("it imports others than %q\n%s", s.loads, out)
			}
			have := g.complete(t, c, ns)
			if have != s.have {
				t.Errorf("%d images are complete, want %d", have, s.have)
			}
			call := "load-images.sh"
			if s.only != "" {
				call = "ONLY=" + s.only + " load-images.sh"
			}
			recordGroups(t, c.version, call, s.parts, []int{have})
		})
	}
}

// TestWharfieGroups looks up images in a directory with bundles of groups.
func TestWharfieGroups(t *testing.T) {
	t.Parallel()
	version := module(t, "wharfie (RKE2)", "go.mod", "github.com/rancher/wharfie")
	g := cutGroups(t)
	for _, order := range orders {
		dir := t.TempDir()
		var have []int
		for _, part := range order.parts {
			link(t, g.bundle(t, part).path, filepath.Join(dir, part+".tar.zst"))
			have = append(have, g.found(t, dir))
		}
		if !slices.Equal(have, found(order.parts)) {
			t.Errorf("of %q it finds %v images", order.parts, have)
		}
		recordGroups(t, version, "tarfile.FindImage(DIRECTORY, IMAGE)", order.parts, have)
	}
}

// found counts the images that wharfie finds in each directory: it reads one file for an image, so
// that a sparse bundle has only what is complete without its base.
func found(parts []string) (have []int) {
	names := map[string]bool{}
	for _, part := range parts {
		for _, n := range map[string][]string{
			ofAll: {"first", "second", "added", "alone"}, ofCore: {"first", "second"}, ofMore: {"added", "alone"},
			ofSparse: {"alone"},
		}[part] {
			names[n] = true
		}
		have = append(have, len(names))
	}
	return have
}

func (g grouped) found(t *testing.T, dir string) (n int) {
	t.Helper()
	for _, image := range g.name {
		ref, err := name.NewTag(image)
		if err != nil {
			t.Fatal(err)
		}
		img, err := tarfile.FindImage(dir, ref)
		if errors.Is(err, tarfile.ErrNotFound) {
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", image, err)
			continue
		}
		layers, err := img.Layers()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range layers {
			whole(t, l)
		}
		n++
	}
	return n
}

// testGroups loads bundles of groups: of a sparse one, a program that reads manifest.json has the
// images that need no base.
func (l loader) testGroups(t *testing.T) {
	t.Helper()
	g := cutGroups(t)
	for _, order := range orders {
		t.Run(strings.Join(order.parts, ", "), func(t *testing.T) {
			var have []int
			refused := ""
			for _, part := range order.parts {
				if out, err := pipe(t, g.bundle(t, part), l.program, l.args("load")...); err != nil {
					lines := strings.Split(strings.TrimSpace(out), "\n")
					refused = anyDigest.ReplaceAllString(lines[len(lines)-1], "sha256:…")
					break
				}
				n := 0
				for _, image := range g.name {
					if l.id(t, image) != "" {
						n++
					}
				}
				have = append(have, n)
			}
			t.Logf("%s: %v %s", order.parts, have, refused)
			call := "zstd -dc BUNDLE | " + l.name() + " load"
			if refused != "" {
				groups.Record(t, l.version, code(call), strings.Join(order.parts, ", "), "refused: "+refused)
			} else {
				recordGroups(t, l.version, call, order.parts, have)
			}
			for _, image := range g.name {
				if l.id(t, image) != "" {
					if out, err := l.say(t.Context(), "image", "rm", "--force", image); err != nil {
						t.Fatalf("%s\n%s", err, out)
					}
				}
			}
		})
	}
}

func recordGroups(t *testing.T, version, call string, parts []string, have []int) {
	t.Helper()
	var after []string
	for _, n := range have {
		after = append(after, fmt.Sprintf("%d of 4", n))
	}
	groups.Record(t, version, code(call), strings.Join(parts, ", "), strings.Join(after, ", "))
}

var anyDigest = regexp.MustCompile(`sha256:[0-9a-f]{64}`)

// link makes a file have another name.
func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Link(from, to); err != nil {
		t.Fatal(err)
	}
}
