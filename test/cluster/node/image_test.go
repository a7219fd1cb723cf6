package node

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestUser: what the kubelet would refuse to run as root is refused here, too.
func TestUser(t *testing.T) {
	yes, id := true, int64(1000)
	for _, c := range []struct {
		name, image string
		pod         corev1.PodSecurityContext
		container   corev1.SecurityContext
		uid, gid    uint32
		refused     bool
	}{
		{name: "nothing said", uid: 0},
		{
			name: "the image's", image: "65532:65533", uid: 65532, gid: 65533,
			container: corev1.SecurityContext{RunAsNonRoot: &yes},
		},
		{name: "the image's without a group", image: "65532", uid: 65532, gid: 65532},
		{
			name: "the container's", image: "0", uid: 1000,
			gid: 1000, container: corev1.SecurityContext{RunAsNonRoot: &yes, RunAsUser: &id},
		},
		{
			name: "root where it must not be", image: "0",
			refused: true, container: corev1.SecurityContext{RunAsNonRoot: &yes},
		},
		{name: "none where it must not be root", refused: true, pod: corev1.PodSecurityContext{RunAsNonRoot: &yes}},
		{
			name: "a name, which may be root's", image: "nonroot", refused: true,
			pod: corev1.PodSecurityContext{RunAsNonRoot: &yes},
		},
	} {
		pod := &corev1.Pod{Spec: corev1.PodSpec{SecurityContext: &c.pod}}
		uid, gid, err := user(pod, &corev1.Container{SecurityContext: &c.container},
			&v1.ConfigFile{Config: v1.Config{User: c.image}})
		if c.refused != (err != nil) || err == nil && (uid != c.uid || gid != c.gid) {
			t.Errorf("%s: %d:%d, %v", c.name, uid, gid, err)
		}
	}
}

// TestUnpack: files keep their mode and owner, and none leaves the directory.
func TestUnpack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "root")
	if err := unpack(archive(t,
		&tar.Header{Name: "/tmp/", Typeflag: tar.TypeDir, Mode: 0o1777},
		&tar.Header{Name: "app", Typeflag: tar.TypeReg, Mode: 0o755},
		&tar.Header{Name: "link", Typeflag: tar.TypeSymlink, Linkname: "app"},
	), dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{"app": 0o755, "tmp": 0o777 | os.ModeSticky | os.ModeDir} {
		if fi, err := os.Stat(filepath.Join(dir, name)); err != nil || fi.Mode() != want {
			t.Errorf("%s: %v, %v", name, fi, err)
		}
	}
	for _, h := range []*tar.Header{
		{Name: "../escaped", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "out/escaped", Typeflag: tar.TypeReg, Mode: 0o644},
		{Name: "device", Typeflag: tar.TypeChar, Mode: 0o644},
	} {
		dir := filepath.Join(t.TempDir(), "root")
		err := unpack(archive(t, &tar.Header{Name: "out", Typeflag: tar.TypeSymlink, Linkname: ".."}, h), dir)
		if err == nil || !strings.Contains(err.Error(), h.Name) {
			t.Errorf("%s: %v", h.Name, err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(dir), "escaped")); err == nil {
			t.Errorf("%s leaves the directory", h.Name)
		}
	}
}

// archive is a tar of entries without content, owned by this user.
func archive(t *testing.T, list ...*tar.Header) *tar.Reader {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range list {
		h.Uid, h.Gid = os.Getuid(), os.Getgid()
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return tar.NewReader(&b)
}
