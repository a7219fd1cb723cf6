package windows

import (
	"archive/zip"
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/slipway-dev/slipway/platform"
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
