package containerfile_test

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/image/layer"
)

// lastLayer evaluates a Dockerfile with an archive in its context, and returns what its last
// instruction has made: the mode of each file by its path, and d of a directory.
func lastLayer(t *testing.T, name string, archive []byte, run string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, name), archive, 0o600))
	r, err := build(t, limited(t, dir, "FROM scratch\nCOPY "+name+" /\n"+run+"\n"))
	must(t, err)
	made := map[string]string{}
	for _, e := range r.Layers[len(r.Layers)-1].Entries {
		if made[e.Path] = e.Mode.String(); e.Type == layer.Dir {
			made[e.Path] = "d"
		}
	}
	return made
}

// TestTarOverDirectory unpacks an archive that has a directory and later a file and a link of its
// name: the later one stays, as with GNU tar.
func TestTarOverDirectory(t *testing.T) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "x/", Typeflag: tar.TypeDir, Mode: 0o700},
		{Name: "y/", Typeflag: tar.TypeDir, Mode: 0o700},
		{Name: "z/", Typeflag: tar.TypeDir, Mode: 0o700},
		{Name: "x", Typeflag: tar.TypeReg, Mode: 0o640},
		{Name: "y", Typeflag: tar.TypeSymlink, Linkname: "x"},
	} {
		must(t, w.WriteHeader(&h))
	}
	must(t, w.Close())
	want := map[string]string{"/x": "-rw-r-----", "/y": "-rwxrwxrwx", "/z": "d"}
	if d := cmp.Diff(want, lastLayer(t, "a.tar", b.Bytes(), "RUN tar -xf /a.tar -C /")); d != "" {
		t.Errorf("made (-want +got):\n%s", d)
	}
}

// TestUnzipModes unpacks an archive with files of FAT: the modes of Unix that they may have count,
// as with unzip 6.0, where they agree with the attributes, which know no programs.
func TestUnzipModes(t *testing.T) {
	const fat, unix = 0, 3 << 8
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range []struct {
		name     string
		host     uint16
		external uint32
	}{
		{"unix", unix, 0o100750 << 16},
		{"fat", fat, 0x20},
		{"fat-private", fat, 0o100600 << 16},
		{"fat-program", fat, 0o100755 << 16},
		{"fat-read-only", fat, 0x01},
		{"fat-disagrees", fat, 0o100755<<16 | 0x01},
	} {
		_, err := z.CreateHeader(&zip.FileHeader{Name: f.name, CreatorVersion: f.host | 20, ExternalAttrs: f.external})
		must(t, err)
	}
	must(t, z.Close())
	want := map[string]string{
		"/unix": "-rwxr-x---", "/fat": "-rw-r--r--", "/fat-private": "-rw-------", "/fat-program": "-rw-r--r--",
		"/fat-read-only": "-r--r--r--", "/fat-disagrees": "-r--r--r--",
	}
	if d := cmp.Diff(want, lastLayer(t, "a.zip", b.Bytes(), "RUN unzip /a.zip")); d != "" {
		t.Errorf("made (-want +got):\n%s", d)
	}
}
