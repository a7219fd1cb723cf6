package artifact_test

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/assemble/artifact"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/store"
)

var at = time.Date(2025, 1, 16, 21, 57, 50, 0, time.UTC)

// input returns an artifact of one program and some files, which has both formats.
func input(t *testing.T, os, format string) artifact.Input {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "share", "LICENSE"), 0o640)
	write(t, filepath.Join(dir, "bin", "uninstall.sh"), 0o700)
	file := map[string]string{"linux": "tool", "windows": "tool.exe"}[os]
	return artifact.Input{
		Artifact: product.Artifact{
			Name: "demo", Binary: true, Archive: true, Formats: map[string]string{os: format},
			Directory: "bin",
		},
		Added:    dir,
		Files:    []product.ArtifactFile{{Name: "tool." + os, Program: "tool"}, {Name: "demo." + os + "." + format}},
		Platform: platform.Platform{OS: os, Architecture: "amd64"},
		Programs: []artifact.Program{{Name: "tool", File: file, Content: layer.Bytes([]byte("a program"))}},
		ModTime:  at,
	}
}

func write(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(filepath.Base(path)), mode),
		os.Chmod(path, mode)); err != nil {
		t.Fatal(err)
	}
}

func TestMake(t *testing.T) {
	for _, tc := range []struct {
		os, format string
		list       func(*testing.T, string) []string
		want       []string
	}{
		{"linux", "tar.gz", listTar, []string{
			"bin/ 0755", "bin/tool 0755 a program",
			"bin/uninstall.sh 0755 uninstall.sh", "share/ 0755", "share/LICENSE 0644 LICENSE",
		}},
		{"windows", "zip", listZip, []string{
			"bin/tool.exe 0755 a program", "bin/uninstall.sh 0755 uninstall.sh",
			"share/LICENSE 0644 LICENSE",
		}},
		{"windows", "tar.gz", listTar, []string{
			"bin/ 0755", "bin/tool.exe 0755 a program",
			"bin/uninstall.sh 0755 uninstall.sh", "share/ 0755", "share/LICENSE 0644 LICENSE",
		}},
	} {
		t.Run(tc.os+" "+tc.format, func(t *testing.T) {
			st := open(t)
			in := input(t, tc.os, tc.format)
			got := made(t, st, in)
			program, archive := got[0], got[1]
			if program.Name != "tool."+tc.os || !program.Program || program.Size != 9 ||
				program.Digest != in.Programs[0].Content.Digest {
				t.Errorf("the program is %+v", program)
			}
			if archive.Program {
				t.Errorf("the archive is %+v", archive)
			}
			if size, err := st.Size(archive.Digest); err != nil || size != archive.Size {
				t.Errorf("the archive has %d bytes (%v), not %d", size, err, archive.Size)
			}
			if list := tc.list(t, st.Path(archive.Digest)); strings.Join(list, "\n") != strings.Join(tc.want, "\n") {
				t.Errorf("the archive holds\n%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(tc.want, "\n"))
			}
			// The result does not depend on the directory, the time or the umask.
			if again := made(t, open(t), input(t, tc.os, tc.format)); again[1].Digest != archive.Digest {
				t.Errorf("made again it is %s, not %s", again[1].Digest, archive.Digest)
			}
		})
	}
}

// TestBeforeZip checks that a time before 1980, which zip cannot represent, does not
// become one in the future.
func TestBeforeZip(t *testing.T) {
	in := input(t, "windows", "zip")
	in.ModTime = time.Unix(0, 0)
	st := open(t)
	z, err := zip.OpenReader(st.Path(made(t, st, in)[1].Digest))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() }) //nolint:errcheck // opened to read
	for _, f := range z.File {
		if dos := f.ModifiedDate >> 9; dos != 0 || f.Modified.Year() != 1980 {
			t.Errorf("%s is of %s, and %d years after 1980", f.Name, f.Modified, dos)
		}
	}
}

func TestMistakes(t *testing.T) {
	in := input(t, "linux", "zip")
	write(t, filepath.Join(in.Added, "bin", "tool"), 0o755)
	if _, err := artifact.Make(t.Context(), open(t), in); err == nil ||
		!strings.Contains(err.Error(), "making demo.linux.zip: bin/tool exists twice") {
		t.Errorf("a file in the place of the program: %v", err)
	}
	in = input(t, "linux", "zip")
	if err := os.Symlink("LICENSE", filepath.Join(in.Added, "share", "link")); err != nil {
		t.Fatal(err)
	}
	if _, err := artifact.Make(t.Context(), open(t), in); err == nil ||
		!strings.Contains(err.Error(), "share/link is not a regular file") {
		t.Errorf("a symbolic link: %v", err)
	}
}

// TestCheck finds names that Windows cannot unpack, and what is a file and a directory, before
// there are programs.
func TestCheck(t *testing.T) {
	for _, tt := range []struct{ os, name, want string }{
		{"windows", "share/LICENSE2", ""},
		{"windows", "share/license", "differ only in case"},
		{"linux", "share/license", ""},
		{"windows", "aux.txt", "aux.txt is a device name on Windows"},
		{"windows", "a:b", "has a character that Windows names cannot have"},
		{"linux", "bin/tool/x", "bin/tool"},
	} {
		in := input(t, tt.os, "zip")
		write(t, filepath.Join(in.Added, tt.name), 0o644)
		in.Programs[0].Content = layer.Content{}
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(in.Added, link); err != nil {
			t.Fatal(err)
		}
		in.Added = link
		if err := artifact.Check(in); (err == nil) != (tt.want == "") ||
			err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s for %s: %v, want %q", tt.name, tt.os, err, tt.want)
		}
	}
}

func made(t *testing.T, st *store.Store, in artifact.Input) []artifact.File {
	t.Helper()
	all, err := artifact.Make(t.Context(), st, in)
	if err != nil || len(all) != 2 {
		t.Fatalf("%d files are made (%v)", len(all), err)
	}
	return all
}

func open(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func listTar(t *testing.T, path string) (all []string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if !h.ModTime.Equal(at) || h.Uid != 0 || h.Gid != 0 {
			t.Errorf("%s is of %s, %d:%d", h.Name, h.ModTime, h.Uid, h.Gid)
		}
		all = append(all, line(t, h.Name, os.FileMode(h.Mode), r))
	}
}

func listZip(t *testing.T, path string) (all []string) {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := z.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, f := range z.File {
		if !f.Modified.Equal(at) {
			t.Errorf("%s is of %s", f.Name, f.Modified)
		}
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line(t, f.Name, f.Mode(), r))
	}
	return all
}

func line(t *testing.T, name string, mode os.FileMode, r io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(fmt.Sprintf("%s %04o %s", name, mode.Perm(), b))
}
