package windows

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/test/need"
)

// TestWine runs programs of the finished images.
func TestWine(t *testing.T) {
	r := cut(t)
	w := newWine(t)
	for _, name := range []string{"build-init", "completion"} {
		layers, err := r.windowsOf(t, name).image.Layers()
		if err != nil {
			t.Fatal(err)
		}
		unpack(t, w.drive, platform.Windows, layers...)
	}
	_, layer := r.lifecycle(t, platform.Windows)
	unpack(t, w.drive, platform.Windows, layer)

	t.Run("build-init", func(t *testing.T) { w.buildInit(t) })
	t.Run("network-wait-launcher", func(t *testing.T) {
		// As kpack starts completion: through the launcher that build-init has put there, by a path without .exe.
		out, err := w.run(t, nil, `C:\networkWait\network-wait-launcher.exe`, "localhost", "--", "/cnb/process/completion")
		if err == nil || !strings.Contains(out, "open /var/report/report.toml") || !strings.Contains(out, "error decoding report toml file") {
			t.Errorf("completion does not look for the report (%v):\n%s", err, out)
		}
	})
	t.Run("completion", func(t *testing.T) {
		report := filepath.Join(w.drive, "var", "report", "report.toml")
		if err := os.MkdirAll(filepath.Dir(report), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(report, []byte("[image]\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := w.run(t, nil, `C:\cnb\process\completion.exe`); err == nil || !strings.Contains(out, "no image found in report") {
			t.Errorf("it does not read the report (%v):\n%s", err, out)
		}
	})
	t.Run("lifecycle", func(t *testing.T) {
		out, err := w.run(t, nil, `C:\cnb\lifecycle\lifecycle.exe`, "-version")
		lifecycle := lockedLifecycle(t, r)
		if err != nil || !strings.HasPrefix(strings.TrimSpace(out), lifecycle+"+") {
			t.Errorf("its version is %q (%v), want %s", out, err, lifecycle)
		}
	})
	// The phases are hard links to the lifecycle, which looks at its own name.
	for phase, says := range map[string]string{
		"detector": `failed to read order file: open c:\cnb\order.toml`,
		"builder":  `failed to read`,
		"restorer": "failed to",
	} {
		t.Run(phase, func(t *testing.T) {
			out, err := w.run(t, []string{"CNB_PLATFORM_API=0.7"}, `C:\cnb\lifecycle\`+phase+`.exe`)
			if err == nil || !strings.Contains(out, says) {
				t.Errorf("it does not say %q (%v):\n%s", says, err, out)
			}
		})
	}
}

// lockedLifecycle is the version of the lifecycle's module.
func lockedLifecycle(t *testing.T, r release) string {
	t.Helper()
	for _, s := range r.lock.Sources {
		if _, v, ok := strings.Cut(s.Module, "lifecycle@v"); ok {
			return v
		}
	}
	t.Fatalf("the lock has no source of the lifecycle: %+v", r.lock.Sources)
	return ""
}

// buildInit lets build-init prepare a build as in a pod: registry and source are on the loopback interface.
func (w wine) buildInit(t *testing.T) {
	var source bytes.Buffer
	z := zip.NewWriter(&source)
	f, err := z.Create("app/main.txt")
	if err == nil {
		_, err = io.WriteString(f, "hello from Linux\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/source.zip", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/zip")
		rw.Write(source.Bytes()) //nolint:errcheck // build-init would miss it
	})
	mux.Handle("/v2/", registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	s := httptest.NewServer(mux)
	defer s.Close()
	host := strings.TrimPrefix(s.URL, "http://")
	ref, err := name.ParseReference(host + "/run:1")
	if err != nil {
		t.Fatal(err)
	}
	if err := remote.Write(ref, empty.Image); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"networkWait", "workspace", "platform", "projectMetadata", "builder/home"} {
		if err := os.MkdirAll(filepath.Join(w.drive, filepath.FromSlash(dir)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	out, err := w.run(t, []string{
		"IMAGE_TAG=" + host + "/app:1", "RUN_IMAGE=" + host + "/run:1", "BLOB_URL=" + s.URL + "/source.zip", "DNS_PROBE_HOSTNAME=localhost",
	}, `C:\cnb\process\build-init.exe`)
	if err != nil || !strings.Contains(out, "Successfully downloaded") {
		t.Errorf("build-init does not prepare a build (%v):\n%s", err, out)
	}
	if b, err := os.ReadFile(filepath.Join(w.drive, "workspace", "app", "main.txt")); err != nil || string(b) != "hello from Linux\n" {
		t.Errorf("the source is %q (%v)", b, err)
	}
	same(t, filepath.Join(w.drive, "networkWait", "network-wait-launcher.exe"), filepath.Join(w.drive, "cnb", "process", "network-wait-launcher.exe"))
}

// TestReencode passes every Windows layer through go-winio's own code.
func TestReencode(t *testing.T) {
	r := cut(t)
	w := newWine(t)
	program := filepath.Join(w.drive, "reencode.exe")
	build := exec.Command("go", "build", "-o", program, "./reencode")
	build.Env = append(os.Environ(), "GOOS=windows", "GOARCH=amd64", "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for digest, l := range windowsLayers(t, r) {
		t.Run(digest, func(t *testing.T) {
			var want []string
			each(t, l, func(h *tar.Header, _ io.Reader) {
				name := strings.TrimSuffix(h.Name, "/")
				if h.Typeflag == tar.TypeLink {
					want = append(want, h.Name+" link "+h.Linkname)
					return
				}
				sddl := "-"
				if h.PAXRecords["MSWINDOWS.rawsd"] != "" {
					sddl = "O:BUG:BU"
				}
				want = append(want, fmt.Sprintf("%s %d %s %s %d", name, h.Size, h.PAXRecords["MSWINDOWS.fileattr"], sddl, h.Size))
			})
			u, err := l.Uncompressed()
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			out, err := w.with(t, u, nil, `C:\reencode.exe`)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var got []string
			for l := range strings.Lines(strings.ReplaceAll(out, "\r", "")) {
				got = append(got, strings.Replace(strings.TrimSpace(l), "/ ", " ", 1))
			}
			if !slices.Equal(got, want) {
				t.Errorf("go-winio reads\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// wine runs Windows programs on a drive of their own.
type wine struct {
	prefix, drive string
}

// newWine returns a drive C: with what a nanoserver has and wine 8 lacks. All tests share one: wine knows its server by the prefix's inode,
// and a prefix that was removed lends its inode to the next, while the old server may still be going down.
func newWine(t *testing.T) wine {
	t.Helper()
	need.Programs(t, "wine", "wine")
	need.Programs(t, "mingw", "x86_64-w64-mingw32-gcc")
	w, err := drive()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

var drive = sync.OnceValues(func() (wine, error) {
	dir, err := os.MkdirTemp("", "slipway-wine-*")
	if err != nil {
		return wine{}, err
	}
	made = dir
	w := wine{prefix: filepath.Join(dir, "prefix")}
	w.drive = filepath.Join(w.prefix, "drive_c")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	// Its output is left alone: wine's services would hold a pipe open.
	if err := w.command(ctx, nil, "wine", "wineboot", "--init").Run(); err != nil {
		return wine{}, fmt.Errorf("making a drive for wine: %w", err)
	}
	// Without the drive of the machine's own files wine takes /workspace for what it is on Windows, a path of the current drive.
	if err := os.Remove(filepath.Join(w.prefix, "dosdevices", "z:")); err != nil {
		return wine{}, err
	}
	dll := filepath.Join(w.drive, "windows", "system32", "bcryptprimitives.dll")
	gcc := exec.CommandContext(ctx, "x86_64-w64-mingw32-gcc", "-shared", "-s", "-o", dll, filepath.Join("testdata", "bcryptprimitives.c"), "-ladvapi32")
	if out, err := gcc.CombinedOutput(); err != nil {
		return wine{}, fmt.Errorf("compiling bcryptprimitives.dll: %w\n%s", err, out)
	}
	return w, nil
})

// made is the directory of the drive, where there is one.
var made string

// TestMain ends wine's services and removes the drive.
func TestMain(m *testing.M) {
	code := m.Run()
	if made != "" {
		w := wine{prefix: filepath.Join(made, "prefix")}
		for _, flag := range []string{"-k", "-w"} {
			w.command(context.Background(), nil, "wineserver", flag).Run() //nolint:errcheck // it fails where none runs
		}
		if err := os.RemoveAll(made); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	os.Exit(code)
}

func (w wine) command(ctx context.Context, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "WINEPREFIX="+w.prefix, "WINEARCH=win64", "WINEDEBUG=-all", "WINEDLLOVERRIDES=mscoree,mshtml=", "DISPLAY=")
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

// run runs a program of drive C: and returns what it prints.
func (w wine) run(t *testing.T, env []string, program string, args ...string) (string, error) {
	t.Helper()
	return w.with(t, nil, env, program, args...)
}

func (w wine) with(t *testing.T, in io.Reader, env []string, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	// A file and no pipe, which wine's services would hold open.
	f, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cmd := w.command(ctx, env, "wine", append([]string{program}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, f, f
	if strings.HasPrefix(program, `C:\`) {
		cmd.Dir = w.drive // a path without a drive is one of the current drive
	}
	runErr := cmd.Run()
	out, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	// Debian's wrapper says each time that there is no wine for 32 bits.
	if _, said, ok := strings.Cut(string(out), `apt-get install wine32:i386"`+"\n"); ok {
		return said, runErr
	}
	return string(out), runErr
}

func same(t *testing.T, a, b string) {
	t.Helper()
	x, err := os.ReadFile(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(x, y) {
		t.Errorf("%s and %s differ", a, b)
	}
}
