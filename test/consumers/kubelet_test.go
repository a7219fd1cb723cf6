package consumers

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/containerd/containerd/v2/client"
	"github.com/containerd/containerd/v2/pkg/namespaces"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// kubeletNamespace is the only one that containerd's CRI looks into.
const kubeletNamespace = "k8s.io"

// kubelet asks a containerd what a kubelet asks it: by CRI.
type kubelet struct {
	images  cri.ImageServiceClient
	runtime cri.RuntimeServiceClient
}

func newKubelet(t *testing.T, socket string) kubelet {
	t.Helper()
	conn, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() }) //nolint:errcheck // everything was read
	return kubelet{cri.NewImageServiceClient(conn), cri.NewRuntimeServiceClient(conn)}
}

// testKubelet brings bundles to containerd in the ways that testLoadImages does not know, and
// asks as a kubelet does.
func (c containerd) testKubelet(t *testing.T) {
	api, err := client.New(c.socket)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() //nolint:errcheck // everything was read
	for _, r := range releases(t) {
		if !r.demo && !c.newer {
			continue // load-images brings what is large to the older one
		}
		p := parse(t, "linux/amd64")
		b := packedBundle{path: filepath.Join(r.dir, r.bundle("linux-amd64")), platform: p}
		t.Run(r.name+" agent", func(t *testing.T) {
			importAll(namespaces.WithNamespace(t.Context(), kubeletNamespace), t, api, b)
			c.asKubelet(t, agentCall, r, b, true, false)
		})
		if !r.demo {
			continue // the small one says as much
		}
		t.Run(r.name+" ctr", func(t *testing.T) {
			call, args := "ctr images import --platform linux/amd64 BUNDLE",
				[]string{"images", "import", "--platform", "linux/amd64", "--snapshotter", "native"}
			var out string
			var err error
			if c.newer {
				out, err = c.run(t.Context(), kubeletNamespace, append(args, b.path)...)
			} else {
				call = "zstd -dc BUNDLE | ctr images import --platform linux/amd64 -"
				out, err = pipe(t, b, c.ctr,
					append(append([]string{"--address", c.socket, "--namespace", kubeletNamespace}, args...), "-")...)
			}
			if err != nil {
				t.Fatalf("%s: %v\n%s", call, err, out)
			}
			c.asKubelet(t, call, r, b, false, false)
		})
	}
}

// asKubelet compares what CRI reports of a bundle's images with the lock, starts a pod of one of
// them where it can, and removes them all, as a kubelet does that needs room. pins says whether
// images are known by digest, too, and kept whether a kubelet leaves them when it looks for room
// itself. Nothing is pulled: no pod asks for that.
func (c containerd) asKubelet(t *testing.T, call string, r release, b packedBundle, pins, kept bool) {
	t.Helper()
	k := newKubelet(t, c.socket)
	kpack := r.lock.Name == "kpack"
	var manifests []byte
	if kpack {
		var err error
		if manifests, err = os.ReadFile(filepath.Join(r.dir, "release.yaml")); err != nil {
			t.Fatal(err)
		}
	}
	var ids []string
	for _, i := range r.images(t, b) {
		tag, pin := i.name, i.repository()+"@"+i.digest.String()
		want := &cri.Image{RepoTags: []string{tag}, RepoDigests: []string{pin}}
		// that one containerd keeps itself
		want.Pinned = kept || c.newer && tag == testprog.SandboxImage
		if !pins {
			want.RepoDigests = nil
		}
		got := k.wait(t, tag, want)
		if child, ok := i.child(t, b.target()); ok && got.Id != child.Config.String() {
			t.Errorf("CRI says that %s is %s, the lock has %s", tag, got.Id, child.Config)
		}
		byPin := k.status(t, pin)
		if pins != (byPin != nil) || pins && byPin.Id != got.Id {
			t.Errorf("CRI says that %s is %v, and of its tag that it is %s", pin, byPin, got.Id)
		}
		if kpack && i.children != nil {
			if !bytes.Contains(manifests, []byte(pin)) {
				t.Errorf("release.yaml does not name %s", pin)
			}
			// A kubelet does not start a container that must not run as root where the image does
			// not say by number who its user is.
			if got.Uid.GetValue() == 0 {
				t.Errorf("CRI says that %s runs as %v %q, want a number that is not root's", tag, got.Uid, got.Username)
			}
		}
		ids = append(ids, got.Id)
	}
	slices.Sort(ids)
	if got := k.list(t); !slices.Equal(got, ids) {
		t.Errorf("CRI lists the images %v, want %v", got, ids)
	}
	pod := "–"
	if r.demo { // whose bundle has an image for sandboxes
		for _, run := range r.runs {
			if i, _ := r.lock.Image(run.image); k.runs(t, i.Reference(), i.Tagged(), pins, run) {
				pod = "starts"
			}
		}
	}
	for _, id := range ids {
		if _, err := k.images.RemoveImage(t.Context(),
			&cri.RemoveImageRequest{Image: &cri.ImageSpec{Image: id}}); err != nil {
			t.Errorf("removing %s: %v", id, err)
		}
	}
	until(t, "CRI has no image any more", func() bool { return len(k.list(t)) == 0 })
	if t.Failed() {
		return
	}
	found, digests, room := "tag", "–", "may go"
	if pins {
		found, digests = "tag, digest", "as pinned"
	}
	if kept {
		room = "stays"
	}
	if r.demo {
		kubelets.Record(t, c.version, code(call), b.kind(), found, "the configuration's digest",
			"as in the list", digests, room, pod)
	}
}

// status returns what CRI reports of an image; nil where it does not know the name, for which a
// kubelet would pull.
func (k kubelet) status(t *testing.T, name string) *cri.Image {
	t.Helper()
	s, err := k.images.ImageStatus(t.Context(), &cri.ImageStatusRequest{Image: &cri.ImageSpec{Image: name}})
	if err != nil {
		t.Fatal(err)
	}
	return s.Image
}

// wait returns what CRI reports of an image once that has the names that are wanted. It learns of
// images by events, after they were made.
func (k kubelet) wait(t *testing.T, name string, want *cri.Image) (got *cri.Image) {
	t.Helper()
	until(t, "CRI knows "+name+" by its names and whether it is pinned", func() bool {
		got = k.status(t, name)
		return got != nil && got.Pinned == want.Pinned && slices.Equal(got.RepoTags, want.RepoTags) &&
			slices.Equal(got.RepoDigests, want.RepoDigests)
	})
	return got
}

// list returns the IDs of all images, sorted.
func (k kubelet) list(t *testing.T) []string {
	t.Helper()
	l, err := k.images.ListImages(t.Context(), &cri.ListImagesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, i := range l.Images {
		ids = append(ids, i.Id)
	}
	slices.Sort(ids)
	return ids
}

// until waits for what has to become true, for as long as a machine may take that has much else
// to do.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.NewTimer(5 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-deadline.C:
			t.Fatalf("after five minutes it is not so that %s", what)
		case <-tick.C:
		}
	}
}
