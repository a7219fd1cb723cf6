package consumers

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/rancher/wharfie/pkg/tarfile"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// gzipped gives a bundle as .tar.gz to consumers, and notes whether they take it.
type gzipped struct {
	release release
	bundle  packedBundle
}

// demoGzip is the bundle of the demo for linux/amd64 as .tar.gz.
func demoGzip(t *testing.T) gzipped {
	t.Helper()
	r := cutDemo(t)
	path := strings.TrimSuffix(filepath.Join(r.dir, r.bundle("linux-amd64")), ".tar.zst") + ".tar.gz"
	return gzipped{r, packedBundle{path: path, platform: parse(t, "linux/amd64")}}
}

// record puts a row into the table. err is what a program that refuses the file says.
func (g gzipped) record(t *testing.T, consumer, call string, err error) {
	t.Helper()
	const tar = "archive/tar: invalid tar header" // of who takes it for a plain tar archive
	takes := "reads it"
	switch {
	case err == nil:
	case strings.Contains(err.Error(), tar):
		takes = "refused: " + tar
	default:
		t.Errorf("%s: %s: %v", consumer, call, err)
	}
	if !t.Failed() {
		archives.Record(t, consumer, code(call), takes)
	}
}

// shell runs a line of sh in which BUNDLE is the file.
func (g gzipped) shell(t *testing.T, line string) error {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.ReplaceAll(line, "BUNDLE", "\"$0\""), g.bundle.path)
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return nil
}

// TestGzipTools: what decompresses and lists archives reads the file without a warning.
func TestGzipTools(t *testing.T) {
	t.Parallel()
	g := demoGzip(t)
	for _, program := range []string{"pigz", "bsdtar"} {
		testprog.Need(t, program)
	}
	for _, c := range []struct{ name, version, call string }{
		{"gzip", "--version", "gzip --test BUNDLE"},
		{"pigz", "--version", "pigz --test BUNDLE"},
		{"bsdtar", "--version", "bsdtar --list --file BUNDLE"},
		{"tar", "--version", "tar --list --file BUNDLE"},
	} {
		g.record(t, packaged(t, c.name, c.name, c.version), c.call, g.shell(t, c.call+" >/dev/null"))
	}
}

// TestGzipContainerd imports it by both kinds of ctr.
func TestGzipContainerd(t *testing.T) {
	t.Parallel()
	g := demoGzip(t)
	old := containerd{version: packaged(t, "containerd", "containerd", "--version"), socket: testprog.Containerd(t), ctr: "ctr"}
	socket, ctr := testprog.Containerd2(t)
	newer := containerd{
		version: module(t, "containerd", programs, "github.com/containerd/containerd/v2"), socket: socket, ctr: ctr,
	}
	for _, c := range []struct {
		containerd
		call string
	}{
		{old, "ctr images import --platform linux/amd64 BUNDLE"},
		{old, "gzip -dc BUNDLE | ctr images import --platform linux/amd64 -"},
		{newer, "ctr images import --platform linux/amd64 BUNDLE"},
		{newer, "ctr images import --local --platform linux/amd64 BUNDLE"},
		{newer, "gzip -dc BUNDLE | ctr images import --local --platform linux/amd64 -"},
	} {
		line := strings.Replace(c.call, "ctr images import",
			c.ctr+" --address "+c.socket+" --namespace gzip images import --no-unpack", 1)
		err := g.shell(t, line)
		if err == nil {
			compare(t, c.names(t, "gzip"), g.release.images(t, g.bundle))
			for _, i := range g.release.images(t, g.bundle) {
				c.list(t, "gzip", "images", "rm", "--sync", i.name)
			}
		}
		g.record(t, c.version, c.call, err)
	}
	for _, c := range []containerd{old, newer} {
		g.record(t, c.version, "load-images.sh", g.loadImages(t, c))
	}
}

// loadImages runs the script in a directory without the .tar.zst.
func (g gzipped) loadImages(t *testing.T, c containerd) error {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"load-images.sh", "SHA256SUMS", filepath.Base(g.bundle.path)} {
		if err := os.Symlink(filepath.Join(g.release.dir, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "load-images.sh"))
	cmd.Env = append(os.Environ(), "SNAPSHOT=yes", "CTR="+c.ctr, "ADDRESS="+c.socket, "NAMESPACE=gzip-script")
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.New(string(out))
	}
	return nil
}

// TestGzipLoad gives it to the programs that load docker-archives.
func TestGzipLoad(t *testing.T) {
	t.Parallel()
	g := demoGzip(t)
	testprog.Need(t, "podman")
	dir := t.TempDir()
	all := []loader{
		{version: packaged(t, "docker", "dockerd", "--version"), program: "docker", options: []string{"-H", "unix://" + testprog.Dockerd(t)}},
		{version: packaged(t, "podman", "podman", "--version"), program: "podman", options: []string{
			"--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs",
			"--cgroup-manager", "cgroupfs", "--events-backend", "none", "--runtime", "runc",
		}},
	}
	for _, store := range []string{testprog.ClassicStore, testprog.ContainerdStore} {
		socket, docker := testprog.Dockerd29(t, store)
		all = append(all, loader{
			version: module(t, "docker", programs, "github.com/docker/cli") + ", " + store + " store", program: docker,
			options: []string{"-H", "unix://" + socket},
		})
	}
	for _, l := range all {
		for _, call := range []string{l.name() + " load -i BUNDLE", "gzip -dc BUNDLE | " + l.name() + " load"} {
			err := g.shell(t, strings.Replace(call, l.name()+" load", l.program+" "+strings.Join(l.args("load"), " "), 1))
			for _, i := range g.release.images(t, g.bundle) {
				child, ok := i.child(t, g.bundle.platform)
				if err == nil && ok && l.id(t, i.name) == "" {
					t.Errorf("%s: %s has no %s of %s", call, l.version, child.Platform, i.name)
				}
				if err == nil {
					if out, err := l.say(t.Context(), "image", "rm", "--force", i.name); err != nil {
						t.Errorf("%s", out)
					}
				}
			}
			g.record(t, l.version, call, err)
		}
	}
}

// TestGzipReaders gives it to what reads an image out of an archive.
func TestGzipReaders(t *testing.T) {
	t.Parallel()
	g := demoGzip(t)
	testprog.Need(t, "skopeo")
	version := packaged(t, "skopeo", "skopeo", "--version")
	for _, call := range []string{"skopeo inspect --raw docker-archive:BUNDLE", "skopeo inspect --raw oci-archive:BUNDLE"} {
		g.record(t, version, call+":IMAGE", g.shell(t, call+":"+g.release.images(t, g.bundle)[0].name+" >/dev/null"))
	}
	dir := t.TempDir()
	if err := os.Symlink(g.bundle.path, filepath.Join(dir, filepath.Base(g.bundle.path))); err != nil {
		t.Fatal(err)
	}
	for _, i := range g.release.images(t, g.bundle) {
		ref, err := name.NewTag(i.name)
		if err != nil {
			t.Fatal(err)
		}
		img, err := tarfile.FindImage(dir, ref)
		if err != nil {
			t.Fatal(err)
		}
		layers, err := img.Layers()
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range layers {
			whole(t, l)
		}
	}
	g.record(t, module(t, "wharfie (RKE2)", "go.mod", "github.com/rancher/wharfie"), "tarfile.FindImage(DIRECTORY, IMAGE)", nil)
}
