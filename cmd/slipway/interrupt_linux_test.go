package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-containerregistry/pkg/crane"

	"github.com/slipway-dev/slipway/internal/distfile"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/internal/testing/registrytest"
)

// ballast is the size in bytes of an incompressible file in each image. It is large
// enough for a signal to arrive before any command has finished with it.
const ballast = 64 << 20

// TestInterrupt interrupts long-running commands. Each ends with one line and exit code 130
// and leaves no incomplete file under any name; the next run succeeds.
func TestInterrupt(t *testing.T) {
	extent.Long(t, "ends commands at what they read")
	cut := cutHeavy(t)
	bundle := filepath.Join(cut, "dist", "greet-images.tar.zst")
	const image = "slipway.local/greet/greet:1.0.1"
	for _, c := range []struct {
		name string
		args string // OUT is a directory of its own
		made string // the output of a run in it
	}{
		{"pack", "pack -out=OUT", "greet-images.tar.zst"},
		{"verify", "verify " + bundle, ""},
		{"extract a layout", "extract " + bundle + " " + image + " -o=OUT/image", "image"},
		{
			"extract an archive", "extract " + bundle + " " + image + " -o=OUT/image.tar -platforms=linux/amd64",
			"image.tar",
		},
		{"split", "split " + bundle + " -out=OUT", "greet-images.volumes.json"},
		{"apply", "apply " + bundle + ".delta -base=" + filepath.Join(cut, "old", "greet-images.tar.zst") +
			" -o=OUT/made.tar.zst", "made.tar.zst"},
	} {
		t.Run(c.name, func(t *testing.T) {
			out := t.TempDir()
			before := map[string][]byte{}
			if c.name == "pack" { // uses the result of publish
				data, err := os.ReadFile(filepath.Join(cut, "dist", "release.lock.json"))
				if err != nil {
					t.Fatal(err)
				}
				before["release.lock.json"] = data
			}
			all := names(t, cut)
			args := strings.Fields(strings.ReplaceAll(c.args, "OUT", out))
			if args[0] != "verify" {
				args = append([]string{"airgap"}, args...)
			}
			for tries := 0; ; tries++ {
				lay(t, out, before)
				p := begin(t, cut, args...)
				frozen := p.freeze(t)
				if frozen {
					p.signal(t, syscall.SIGINT)
					p.signal(t, syscall.SIGCONT)
				}
				err := p.cmd.Wait()
				if frozen && err != nil {
					p.stopped(t, err)
					break
				}
				if err != nil || tries == 100 {
					t.Fatalf("after %d tries it has not been interrupted: %v\n%s", tries+1, err, p.log.String())
				}
			}
			// The journal names the files that the next run may replace, once one is to be written.
			if err := os.Remove(filepath.Join(out, distfile.Journal)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			holds(t, out, before)
			if now := names(t, cut); !slices.Equal(now, all) {
				t.Errorf("where it read, there is now\n%s\nand was\n%s", strings.Join(now, "\n"),
					strings.Join(all, "\n"))
			}
			p := begin(t, cut, args...)
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("the next run: %v\n%s", err, p.log.String())
			}
			if _, err := os.Stat(filepath.Join(out, c.made)); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("push", func(t *testing.T) { testInterruptedPush(t, cut, bundle) })
	t.Run("kill", func(t *testing.T) { testKill(t, cut, bundle) })
}

// testInterruptedPush interrupts a push while the registry delays the upload of a blob.
func testInterruptedPush(t *testing.T, cut, bundle string) {
	takes := registrytest.Handler()
	reached, goOn := make(chan struct{}), make(chan struct{})
	var once sync.Once
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPatch || r.Method == http.MethodPut {
			once.Do(func() { close(reached) })
			<-goOn
		}
		takes.ServeHTTP(w, r)
	}))
	defer server.Close()
	var release sync.Once
	defer release.Do(func() { close(goOn) })
	host, out := server.Listener.Addr().String(), t.TempDir()
	args := []string{
		"airgap", "push", bundle, "-to=" + host, "-snapshot", "-release=" + filepath.Join(cut, "dist", "release.yaml"),
		"-release-to=" + filepath.Join(out, "release.yaml"),
	}
	p := begin(t, cut, args...)
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	select {
	case <-reached:
	case err := <-ended:
		t.Fatalf("it ends before it pushes: %v\n%s", err, p.log.String())
	}
	p.signal(t, syscall.SIGINT)
	p.stopped(t, <-ended)
	holds(t, out, nil)
	if tags, err := crane.ListTags(host+"/greet/greet", crane.Insecure); err == nil && len(tags) > 0 {
		t.Errorf("the registry has the tags %v of what was not pushed", tags)
	}
	release.Do(func() { close(goOn) })
	p = begin(t, cut, args...)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the next run: %v\n%s", err, p.log.String())
	}
	if _, err := crane.Digest(host+"/greet/greet:1.0.1", crane.Insecure); err != nil {
		t.Error(err)
	}
}

// cutHeavy makes two releases with large images and the delta between them,
// and returns their directory.
func cutHeavy(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/greet")); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "cmd", "greet", "kodata")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(data, "ballast"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(f, rand.NewChaCha8([32]byte{}), ballast); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	do := func(args ...string) {
		t.Helper()
		p := begin(t, dir, args...)
		if err := p.cmd.Wait(); err != nil {
			t.Fatalf("slipway %s: %v\n%s", strings.Join(args, " "), err, p.log.String())
		}
	}
	edit := func(old, text string) {
		t.Helper()
		path := filepath.Join(dir, "slipway.yaml")
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.Replace(data, []byte(old), []byte(text), 1), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit(", windows/amd64:ltsc2022]", "]") // two platforms are enough
	do("release", "-binary=false", "-out=old")
	edit("1.0.0", "1.0.1")
	do("release", "-binary=false")
	do("airgap", "pack", "-base=old/greet-images.tar.zst")
	return dir
}

// lay replaces the contents of a directory by files.
func lay(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// names returns the paths of everything below a directory.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		all = append(all, path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// holds checks that a directory contains exactly these files and no directories.
func holds(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if want, ok := files[name]; !ok {
			t.Errorf("it left %s behind", name)
		} else if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not as it was: %v", name, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
