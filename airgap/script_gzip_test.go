package airgap_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/airgap"
	"github.com/slipway-dev/slipway/airgap/bundle"
	"github.com/slipway-dev/slipway/internal/testing/bundletest"
	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// TestShellGzip: the shell script takes the .tar.gz where the .tar.zst is not there or no zstd is,
// compares it with SHA256SUMS, and ctr reads the archive of the .tar.zst.
func TestShellGzip(t *testing.T) {
	testprog.Need(t, "zstd")
	st, l := bundletest.Demo(t, 100)
	packed := t.TempDir()
	targets := bundletest.Targets(t)
	files := bundletest.PackTwins(t, st, l, packed, targets...)
	all, err := airgap.Scripts(l.Name, l.Version, targets, files)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(packed, "load-images.sh"), string(all[1].Data))
	put(t, filepath.Join(packed, "SHA256SUMS"), listed(files))
	zst := read(t, files[0].Path)
	archive := bundletest.Decompress(t, zst)
	const zstName, gzName = "demo-images.linux-amd64.tar.zst", "demo-images.linux-amd64.tar.gz"
	for _, c := range []struct {
		name    string
		missing []string // files, and a program
		damage  string
		want    []byte // what ctr reads
		says    string
	}{
		{"both", nil, "", archive, "done: "},
		{"no .tar.zst", []string{zstName}, "", archive, "done: "},
		{"no zstd", []string{"bin/zstd"}, "", archive, "done: "},
		{"no .tar.gz", []string{gzName}, "", archive, "done: "},
		{"no gzip", []string{zstName, "bin/gzip"}, "", nil, "done: "}, // ctr of containerd 2 opens it
		{"no file", []string{zstName, gzName}, "", nil, zstName + " is missing"},
		{"damaged", []string{zstName}, gzName, nil, gzName + " has the checksum"},
		{"damaged, not taken", nil, gzName, archive, "done: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(packed)); err != nil {
				t.Fatal(err)
			}
			programs(t, filepath.Join(dir, "bin"))
			for _, name := range c.missing {
				gone(t, filepath.Join(dir, name))
			}
			if c.damage != "" {
				data := read(t, filepath.Join(dir, c.damage))
				data[len(data)/2] ^= 1
				put(t, filepath.Join(dir, c.damage), string(data))
			}
			cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(dir, "load-images.sh"))
			cmd.Env = []string{"SNAPSHOT=yes", "PATH=" + filepath.Join(dir, "bin"), "DIR=" + dir}
			out, err := cmd.CombinedOutput()
			if !strings.Contains(string(out), c.says) || (err == nil) != (c.says == "done: ") {
				t.Errorf("%v, want %q:\n%s", err, c.says, out)
			}
			got, _ := os.ReadFile(filepath.Join(dir, "stdin"))
			if !bytes.Equal(got, c.want) {
				t.Errorf("ctr has read %d bytes, want %d", len(got), len(c.want))
			}
		})
	}
}

// programs fills a directory with the programs that the script runs. Its ctr keeps what it imports,
// and uname is that of x86_64.
func programs(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Fields("sh awk cat cut dirname gzip mktemp rm sha256sum tr wc zstd") {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "uname"), "#!/bin/sh\necho x86_64\n")
	put(t, filepath.Join(dir, "ctr"), "#!/bin/sh\ncase \"$*\" in *' -') cat >\"$DIR/stdin\" ;; esac\n")
}

// listed is SHA256SUMS of bundles in all their forms.
func listed(files []bundle.File) string {
	var sums strings.Builder
	for _, f := range files {
		for _, a := range f.Archives() {
			sums.WriteString(a.SHA256 + "  " + filepath.Base(a.Path) + "\n")
		}
	}
	return sums.String()
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
