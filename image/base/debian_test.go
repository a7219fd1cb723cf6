package base_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/slipway-dev/slipway/image/base"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
	"github.com/slipway-dev/slipway/product"
)

// packages are those of Debian that gcr.io/distroless/static-debian12 consists of, beside accounts,
// home directories, /tmp and nsswitch.conf.
var packages = []string{"base-files", "netbase", "tzdata", "media-types", "ca-certificates"}

// differences are the files of these packages that the built-in base does not have, by pattern, as
// docs/images.md lists them.
var differences = []string{
	"/usr/share/doc/**", "/usr/share/lintian/**", "/usr/share/bug/**", "/usr/share/man/**", // documentation
	// which Debian it is
	"/etc/os-release", "/usr/lib/os-release", "/etc/debian_version", "/etc/issue", "/etc/issue.net",
	"/etc/host.conf", "/etc/dpkg/**", "/var/lib/dpkg", "/etc/default", "/etc/profile.d", "/etc/skel", "/etc/update-motd.d/**", // of shells and of dpkg
	"/usr/share/base-files/**", "/usr/share/common-licenses/**", "/usr/share/dict", "/usr/share/info",
	"/usr/share/misc",
	"/etc/services", "/etc/protocols", "/etc/rpc", "/etc/ethertypes", // netbase
	"/etc/mime.types", // media-types
	// only the roots are in distroless
	"/etc/ca-certificates/**", "/usr/share/ca-certificates/**", "/usr/sbin/update-ca-certificates",
}

// TestDebian compares the built-in base, file by file, with the packages of Debian that the
// distroless image consists of which it stands for. With -update it writes the time zones anew.
func TestDebian(t *testing.T) {
	testprog.Need(t, "debian")
	if text, err := os.ReadFile("/etc/os-release"); err != nil ||
		!strings.Contains(string(text), "VERSION_CODENAME=bookworm") {
		t.Skip("the base stands for an image that is made of the packages of Debian 12, which apt does not have here")
	}
	theirs, versions := unpack(t)
	if *update {
		writeZoneinfo(t, theirs)
		t.Skipf("wrote the time zones of tzdata %s: set zoneinfoVersion and zoneinfoSum, and run the test again",
			versions["tzdata"])
	}
	p := &product.Product{Path: "slipway.yaml", Bases: []product.Base{{Name: "static", Builtin: "static"}}}
	ours := map[string]layer.Entry{}
	for _, e := range resolve(t, p, "static", "linux/amd64").Entries() {
		ours[e.Path] = e
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(theirs)) {
		h, e := theirs[name], ours[name]
		_, there := ours[name]
		if pattern := differs(name); pattern != "" {
			seen[pattern] = true
			if there {
				t.Errorf("%s is there, and among the differences", name)
			}
			continue
		}
		sameVersion := !strings.HasPrefix(name, "/usr/share/zoneinfo/") || versions["tzdata"] == base.ZoneinfoVersion
		switch {
		case !there && (sameVersion || h.Typeflag == tar.TypeDir):
			t.Errorf("the base lacks %s: add it, or list it among the differences", name)
		case !there:
			t.Logf("tzdata %s has a new file: %s", versions["tzdata"], name)
		case e.UID != h.Uid || e.GID != h.Gid:
			t.Errorf("%s is of %d:%d, want %d:%d", name, e.UID, e.GID, h.Uid, h.Gid)
		case h.Typeflag != tar.TypeSymlink && e.Mode&^fs.ModeDir != h.FileInfo().Mode()&^fs.ModeDir:
			t.Errorf("%s has mode %v, want %v", name, e.Mode, h.FileInfo().Mode())
		case e.Linkname != h.Linkname:
			t.Errorf("%s is a link to %q, want %q", name, e.Linkname, h.Linkname)
		case sameVersion && h.Typeflag == tar.TypeReg &&
			e.Content.Digest.Hex != fmt.Sprintf("%x", sha256.Sum256(h.text)):
			t.Errorf("%s has other bytes", name)
		}
	}
	for _, pattern := range differences {
		if !seen[pattern] {
			t.Errorf("no package has %s: take it out of the differences", pattern)
		}
	}
	// What the packages do not have, distroless images have from elsewhere.
	added := []string{
		"/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/ssl/certs/ca-certificates.crt",
		"/home/nonroot",
	}
	for name := range ours {
		if _, ok := theirs[name]; !ok && !slices.Contains(added, name) && versions["tzdata"] == base.ZoneinfoVersion {
			t.Errorf("no package has %s", name)
		}
	}
	compareRoots(t, theirs, ours["/etc/ssl/certs/ca-certificates.crt"])
	listed(t)
}

// file is a file of a package.
type file struct {
	*tar.Header
	text []byte
}

// unpack returns the files of all packages, and the versions of the packages.
func unpack(t *testing.T) (files map[string]file, versions map[string]string) {
	t.Helper()
	dir := t.TempDir()
	run := func(name string, args ...string) []byte {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s %v: %v\n%s", name, args, err, stderr.Bytes())
		}
		return out
	}
	lists := filepath.Join(dir, "lists")
	if err := os.MkdirAll(filepath.Join(lists, "partial"), 0o755); err != nil {
		t.Fatal(err)
	}
	options := []string{
		"-q", "-o", "Dir::State::Lists=" + lists, "-o", "Dir::Cache=" + dir, "-o",
		"APT::Sandbox::User=root", "-o", "Acquire::Retries=3",
	}
	run("apt-get", append(options, "update")...)
	run("apt-get", append(append(options, "download"), packages...)...)
	debs, err := filepath.Glob(filepath.Join(dir, "*.deb"))
	if err != nil || len(debs) != len(packages) {
		t.Fatalf("apt-get downloaded %v (%v)", debs, err)
	}
	files, versions = map[string]file{}, map[string]string{}
	for _, deb := range debs {
		fields := strings.Fields(string(run("dpkg-deb", "--show", "--showformat=${Package} ${Version}", deb)))
		versions[fields[0]] = fields[1]
		for r := tar.NewReader(bytes.NewReader(run("dpkg-deb", "--fsys-tarfile", deb))); ; {
			h, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			if name := path.Join("/", h.Name); name != "/" {
				files[name] = file{h, text}
			}
		}
	}
	return files, versions
}

// differs returns the pattern of the differences that a path has.
func differs(name string) string {
	for _, pattern := range differences {
		if dir, ok := strings.CutSuffix(pattern, "/**"); name == pattern ||
			ok && (name == dir || strings.HasPrefix(name, dir+"/")) {
			return pattern
		}
	}
	return ""
}

// writeZoneinfo writes the archive of the time zones.
func writeZoneinfo(t *testing.T, files map[string]file) {
	t.Helper()
	var b bytes.Buffer
	z, err := zstd.NewWriter(&b, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20),
		zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(z)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		rel, ok := strings.CutPrefix(name, "/usr/share/zoneinfo/")
		if !ok {
			continue
		}
		h := files[name]
		if err := w.WriteHeader(&tar.Header{
			Typeflag: h.Typeflag, Name: rel, Mode: h.Mode & 0o777,
			Size: h.Size, Linkname: h.Linkname,
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(h.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("zoneinfo.tar.zst", b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compareRoots compares the certificates with those of the package, by their bytes.
func compareRoots(t *testing.T, theirs map[string]file, e layer.Entry) {
	t.Helper()
	r, err := e.Content.Open()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]bool{}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		have[string(block.Bytes)] = true
	}
	common, lacking := 0, []string(nil)
	for name, f := range theirs {
		if !strings.HasPrefix(name, "/usr/share/ca-certificates/mozilla/") || f.Typeflag != tar.TypeReg {
			continue
		}
		if block, _ := pem.Decode(f.text); block != nil && have[string(block.Bytes)] {
			common++
		} else {
			lacking = append(lacking, path.Base(name))
		}
	}
	slices.Sort(lacking)
	t.Logf("%d roots, %d of them Debian's, which has %d more: %v", len(have), common, len(lacking), lacking)
	if common < 100 { // Debian's are those of another day, and of those that Mozilla trusts under a condition, too
		t.Errorf("only %d of Debian's roots are in the base", common)
	}
}

// listed checks that docs/images.md lists the differences.
func listed(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile("../../docs/images.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range differences {
		if name := strings.TrimSuffix(pattern, "/**"); !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/images.md does not list %s", name)
		}
	}
}
