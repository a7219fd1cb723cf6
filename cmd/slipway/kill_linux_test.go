package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/report"
)

// testKill kills commands while they write. Each leaves a file under a temporary name;
// the next run removes it and makes the same bytes as an undisturbed run.
func testKill(parent *testing.T, cut, bundle string) {
	const image = "slipway.local/greet/greet:1.0.1"
	wants := map[string]string{} // the output of an undisturbed run
	for _, c := range []struct {
		name string
		in   string // kill it while it writes here
		args string // OUT is a directory of its own
	}{
		{"build", "store", "release -binary=false -out=OUT/dist -store=OUT/store"},
		{"release", "dist", "release -binary=false -out=OUT/dist -store=OUT/store"},
		{"extract a layout", "", "airgap extract " + bundle + " " + image + " -o=OUT/image"},
		{
			"extract an archive",
			"", "airgap extract " + bundle + " " + image + " -o=OUT/image.tar -platforms=linux/amd64",
		},
		{"split", "", "airgap split " + bundle + " -out=OUT"},
		{"apply", "", "airgap apply " + bundle + ".delta -base=" + filepath.Join(cut, "old", "greet-images.tar.zst") +
			" -o=OUT/made.tar.zst"},
	} {
		parent.Run(c.name, func(t *testing.T) {
			start := func(out string) *process {
				return begin(t, cut, strings.Fields(strings.ReplaceAll(c.args, "OUT", out))...)
			}
			if wants[c.args] == "" {
				wants[c.args] = parent.TempDir()
				if p := start(wants[c.args]); p.cmd.Wait() != nil {
					t.Fatal(p.log.String())
				}
			}
			out := ""
			for tries := 0; len(unfinished(out)) == 0; tries++ {
				out = t.TempDir()
				start(out).killWriting(t, filepath.Join(out, c.in))
				if tries == 100 {
					t.Fatal("each of 100 kills came when nothing was half written")
				}
			}
			p := start(out)
			if err := p.cmd.Wait(); err != nil {
				t.Fatalf("the next run: %v\n%s", err, p.log.String())
			}
			same(t, wants[c.args], out)
			holds(t, p.temp, nil)
		})
	}
}

// killWriting kills the process when a temporary file below dir has grown large.
func (p *process) killWriting(t *testing.T, dir string) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !p.is('Z') && !slices.ContainsFunc(unfinished(dir), func(path string) bool {
		fi, err := os.Stat(path)
		return err == nil && fi.Mode().IsRegular() && fi.Size() > ballast/16
	}) {
		<-tick.C
	}
	p.signal(t, syscall.SIGKILL)
	p.cmd.Wait() //nolint:errcheck // it was killed
}

var temporary = regexp.MustCompile(`/\.slipway-[0-9]+\.tmp(/|$)`)

// unfinished lists the temporary files below a directory.
func unfinished(dir string) (paths []string) {
	filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error { //nolint:errcheck // files come and go
		if err == nil && temporary.MatchString(path) {
			paths = append(paths, path)
		}
		return nil
	})
	return paths
}

// same checks that two directories contain the same files with the same bytes. It ignores
// the store's scratch space, where the go command keeps its caches, and how long compilers took.
func same(t *testing.T, want, got string) {
	t.Helper()
	sums := func(dir string) map[string]string {
		all := map[string]string{}
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(dir, path)
			switch {
			case err != nil:
				return err
			case d.Name() == times.FileName, d.Name() == report.RunName: // times
			case strings.HasPrefix(rel, filepath.Join("store", "work")),
				strings.HasPrefix(rel, filepath.Join("store", "cache")):
			case d.IsDir():
				all[rel] = "a directory"
			default:
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				all[rel] = fmt.Sprintf("%x", sha256.Sum256(data))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	w, g := sums(want), sums(got)
	for name := range w {
		if g[name] != w[name] {
			t.Errorf("%s is %q, without the kill it is %q", name, g[name], w[name])
		}
	}
	for name := range g {
		if w[name] == "" {
			t.Errorf("it left %s behind", name)
		}
	}
}

// TestWait checks that a command which writes into a directory reports and awaits the
// process that has locked it, whichever path either uses.
func TestWait(t *testing.T) {
	dir := greet(t, "1.0.0")
	if p := begin(t, dir, "release", "-binary=false"); p.cmd.Wait() != nil {
		t.Fatal(p.log.String())
	}
	out, link := t.TempDir(), filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(out, link); err != nil {
		t.Fatal(err)
	}
	if p := begin(t, dir, "stage", "build", "-out="+out); p.cmd.Wait() != nil { // what publish reads
		t.Fatal(p.log.String())
	}
	const image = "slipway.local/greet/greet:1.0.0"
	data, err := os.ReadFile(filepath.Join(dir, "dist", "release.lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "release.lock.json"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []string{
		"stage publish -out=" + link,
		"stage render -out=" + link,
		"airgap pack -out=" + link,
		"airgap split dist/greet-images.tar.zst -out=" + link,
		"airgap extract dist/greet-images.tar.zst " + image + " -o=" + link + "/image",
		"airgap extract dist/greet-images.tar.zst " + image + " -o=" + link + "/image.tar -platforms=linux/amd64",
		"airgap mirror-config dist/greet-images.tar.zst -to=registry.internal -out=" + link,
		"release -binary=false -out=" + link,
		"store clean -store=none -out=" + link,
	} {
		t.Run(args, func(t *testing.T) {
			held, err := disk.Lock(t.Context(), out, nil)
			if err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), slipway(t), strings.Fields(args)...)
			cmd.Dir = dir
			stderr, err := cmd.StderrPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var told int
			var log bytes.Buffer
			for lines := bufio.NewScanner(stderr); lines.Scan(); {
				fmt.Fprintln(&log, lines.Text())
				if strings.HasPrefix(lines.Text(), "waiting for another slipway to leave "+link) {
					told++
					held.Unlock()
				}
			}
			if err := cmd.Wait(); err != nil || told != 1 {
				t.Errorf("%v, told %d times that it waits:\n%s", err, told, log.String())
			}
			if told == 0 {
				held.Unlock()
			}
		})
	}
}

// TestTwoReleases writes two releases from separate stores into one directory at the same
// time. The directory must end up with one of them, complete.
func TestTwoReleases(t *testing.T) {
	var dirs, wants []string
	for _, version := range []string{"1.0.0", "1.0.1"} {
		dir := greet(t, version)
		if p := begin(t, dir, "release", "-binary=false"); p.cmd.Wait() != nil {
			t.Fatal(p.log.String())
		}
		dirs, wants = append(dirs, dir), append(wants, filepath.Join(dir, "dist"))
	}
	for range extent.Number(2, 10) {
		out := filepath.Join(t.TempDir(), "out")
		var ps []*process
		for _, dir := range dirs {
			ps = append(ps, begin(t, dir, "release", "-binary=false", "-out="+out))
		}
		for _, p := range ps {
			if err := p.cmd.Wait(); err != nil {
				t.Fatalf("%v\n%s", err, p.log.String())
			}
		}
		check := exec.Command("sha256sum", "-c", "SHA256SUMS")
		check.Dir = out
		if text, err := check.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, text)
		}
		sums, err := os.ReadFile(filepath.Join(out, "SHA256SUMS"))
		if err != nil || !regexp.MustCompile(`^([0-9a-f]{64}  \S+\n)+$`).Match(sums) {
			t.Errorf("not each line is a checksum: %v\n%s", err, sums)
		}
		lock, err := os.ReadFile(filepath.Join(out, "release.lock.json"))
		if err != nil {
			t.Fatal(err)
		}
		last := 0
		if bytes.Contains(lock, []byte(`"version": "1.0.1"`)) {
			last = 1
		}
		same(t, wants[last], out)
	}
}

// greet copies the greeting example and sets its version.
func greet(t *testing.T, version string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/greet")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "slipway.yaml")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(data, []byte("1.0.0"), []byte(version), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}
