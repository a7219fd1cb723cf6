package source_test

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/compile/source"
)

// settings are user settings that would change the go command's output.
var settings = map[string]string{
	"GOOS": "plan9", "GOARCH": "arm", "GOARM": "5", "GOAMD64": "v3", "GOFLAGS": "-tags=theirs -modcacherw",
	"GOEXPERIMENT": "synctest",
	"GOFIPS140":    "latest", "CGO_ENABLED": "1", "GO111MODULE": "off", "CC": "theirs", "CGO_CFLAGS": "-DTHEIRS",
}

// TestEnvironment asks the go command for its build settings, with variables exported and
// variables set by go env -w.
func TestEnvironment(t *testing.T) {
	t.Run("exported", func(t *testing.T) {
		t.Setenv("GOENV", "off")
		t.Setenv("GOPROXY", "https://proxy.example.com")
		for k, v := range settings {
			t.Setenv(k, v)
		}
		unchanged(t, "-modcacherw")
		t.Setenv("GOFLAGS", "-tags=theirs")
		unchanged(t, "")
	})
	t.Run("go env -w", func(t *testing.T) {
		dir := t.TempDir()
		lines := []string{"# kept", "GOPROXY=https://proxy.example.com"}
		for k, v := range settings {
			t.Setenv(k, "")
			lines = append(lines, k+"="+v)
		}
		t.Setenv("GOPROXY", "")
		files(t, dir, map[string]string{
			"go/env": strings.Join(lines, "\n") + "\n",
			// This keeps a child of the go command from writing here after the test.
			"go/telemetry/mode": "off",
		})
		t.Setenv("XDG_CONFIG_HOME", dir)
		t.Setenv("GOENV", "")
		unchanged(t, "-modcacherw")
		t.Setenv("GOENV", filepath.Join(dir, "go", "env"))
		unchanged(t, "-modcacherw")
	})
}

func unchanged(t *testing.T, flags string) {
	t.Helper()
	dir := t.TempDir()
	names := []string{
		"GOOS", "GOARCH", "GOAMD64", "GOFLAGS", "GOEXPERIMENT", "GOFIPS140", "GO111MODULE",
		"GOWORK", "GOPROXY", "CC", "CGO_CFLAGS",
	}
	out, err := source.Go(t.Context(), dir, append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(source.Explain(err))
	}
	want := []string{
		runtime.GOOS, runtime.GOARCH, "v1", flags, "", "off", "", "off", "https://proxy.example.com",
		"gcc", "-O2 -g",
	}
	if runtime.GOARCH != "amd64" {
		want[2] = ""
	}
	if got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"); !slices.Equal(got, want) {
		t.Errorf("the go command sees %q as %q, want %q", names, got, want)
	}
}

func TestVersion(t *testing.T) {
	t.Setenv("GOFLAGS", "-tags=theirs")
	v, err := source.Version(t.Context())
	if err != nil || !strings.HasPrefix(v, "go1.") {
		t.Errorf("the version is %q (%v)", v, err)
	}
}
