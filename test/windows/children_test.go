package windows

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"debug/pe"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/platform"
)

var fourParts = regexp.MustCompile(`^10\.0\.[1-9][0-9]*\.[1-9][0-9]*$`)

// TestWindowsChildren checks that each image for Windows has one child per LTSC build, and that
// each child says its version wherever a host looks for it
// (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility).
func TestWindowsChildren(t *testing.T) {
	r := open(t)
	all := r.children(t, platform.Windows)
	for _, name := range []string{"build-init", "completion"} {
		if len(all[name]) == 0 {
			t.Errorf("%s, which build pods on Windows run, has no Windows child", name)
		}
	}
	for name, list := range all {
		t.Run(name, func(t *testing.T) {
			var builds, want []string
			for _, c := range list {
				builds = append(builds, platform.Release(c.OSVersion))
				checkWindows(t, c)
			}
			for _, l := range slices.Backward(platform.LTSC) {
				want = append(want, l.Name)
			}
			if !slices.Equal(builds, want) {
				t.Errorf("the children are for %q, want %q: newest first, each once", builds, want)
			}
		})
	}
}

func checkWindows(t *testing.T, c child) {
	t.Helper()
	if c.config.OS != "windows" || c.config.Architecture != "amd64" || c.config.OSVersion != c.OSVersion ||
		!fourParts.MatchString(c.OSVersion) {
		t.Errorf("%s: the configuration says %s/%s %q", c.Platform, c.config.OS, c.config.Architecture,
			c.config.OSVersion)
	}
	path := ""
	for _, kv := range c.config.Config.Env {
		if k, v, _ := strings.Cut(kv, "="); strings.EqualFold(k, "PATH") {
			path = v
		}
	}
	if !slices.ContainsFunc(strings.Split(path, ";"), func(s string) bool {
		return strings.EqualFold(s, `C:\Windows\system32`)
	}) || strings.Contains(strings.ReplaceAll(path, `C:\`, ""), ":") {
		t.Errorf("%s: PATH is %q", c.Platform, path)
	}
	if e := c.config.Config.Entrypoint; len(e) != 1 || !strings.HasPrefix(e[0], `C:\`) ||
		!strings.HasSuffix(e[0], ".exe") {
		t.Errorf("%s: the entrypoint is %q", c.Platform, e)
	}
	if c.config.Config.User != "ContainerUser" {
		t.Errorf("%s: the user is %q", c.Platform, c.config.Config.User)
	}
}

// TestIndexes checks that an index has the platforms of its children, Linux first.
func TestIndexes(t *testing.T) {
	r := open(t)
	for _, i := range r.lock.Images {
		if i.Kind == "lifecycle" {
			continue
		}
		idx, err := storetest.OpenIndex(r.store, i.Digest)
		if err != nil {
			t.Fatal(err)
		}
		m, err := idx.IndexManifest()
		if err != nil {
			t.Fatal(err)
		}
		var last platform.Platform
		for n, d := range m.Manifests {
			img, err := idx.Image(d.Digest)
			if err != nil {
				t.Fatal(err)
			}
			cf, err := img.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			if d.Platform == nil || d.Platform.OS != cf.OS || d.Platform.Architecture != cf.Architecture ||
				d.Platform.OSVersion != cf.OSVersion {
				t.Errorf("%s: child %d is for %v, and its configuration says %s/%s %s", i.Name, n,
					d.Platform, cf.OS, cf.Architecture, cf.OSVersion)
				continue
			}
			if n > 0 && platform.Compare(last, platform.From(d.Platform)) >= 0 {
				t.Errorf("%s: %s stands after %s", i.Name, platform.From(d.Platform).String(), last.String())
			}
			last = platform.From(d.Platform)
		}
	}
}

// TestOneWindowsBuild checks that a program for Windows is compiled and compressed once, whatever
// the number of releases.
func TestOneWindowsBuild(t *testing.T) {
	for name, list := range open(t).children(t, platform.Windows) {
		var own []v1.Hash
		for _, c := range list {
			layers, err := c.image.Layers()
			if err != nil {
				t.Fatal(err)
			}
			var digests []v1.Hash
			for _, l := range layers[1:] { // the first is the base's
				h, err := l.Digest()
				if err != nil {
					t.Fatal(err)
				}
				digests = append(digests, h)
			}
			if own == nil {
				own = digests
			}
			if len(own) == 0 || !slices.Equal(own, digests) {
				t.Errorf("%s: %s has layers %v, its sibling %v", name, c.Platform, digests, own)
			}
		}
	}
}

// TestWindowsPrograms checks that what kpack runs in a Windows build pod is there and is a
// Windows program.
func TestWindowsPrograms(t *testing.T) {
	r := open(t)
	for name, paths := range map[string][]string{
		"build-init": {"cnb/process/build-init.exe", "cnb/process/network-wait-launcher.exe"},
		"completion": {"cnb/process/completion.exe", "cnb/process/network-wait-launcher.exe"},
	} {
		for _, c := range r.children(t, platform.Windows)[name] {
			dir := t.TempDir()
			layers, err := c.image.Layers()
			if err != nil {
				t.Fatal(err)
			}
			unpack(t, dir, platform.Windows, layers...)
			for _, p := range append(paths,
				strings.ReplaceAll(strings.TrimPrefix(c.config.Config.Entrypoint[0], `C:\`), `\`, "/")) {
				isPE(t, filepath.Join(dir, p))
			}
		}
	}
}

// TestLinuxChildren checks that what Linux nodes run is static, for their architecture, and not
// root by number, since Kubernetes checks runAsNonRoot by number only.
func TestLinuxChildren(t *testing.T) {
	nonRoot := regexp.MustCompile(`^[1-9][0-9]*(:[1-9][0-9]*)?$`)
	all := open(t).children(t, platform.Linux)
	for _, name := range []string{"controller", "webhook", "build-waiter", "build-init", "completion", "rebase"} {
		if len(all[name]) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
	for name, list := range all {
		for _, c := range list {
			t.Run(name+" "+c.Platform.String(), func(t *testing.T) {
				if !nonRoot.MatchString(c.config.Config.User) {
					t.Errorf("the user is %q", c.config.Config.User)
				}
				if len(c.config.Config.Entrypoint) != 1 {
					t.Fatalf("the entrypoint is %q", c.config.Config.Entrypoint)
				}
				dir := t.TempDir()
				layers, err := c.image.Layers()
				if err != nil {
					t.Fatal(err)
				}
				unpack(t, dir, platform.Linux, layers...)
				isELF(t, filepath.Join(dir, c.config.Config.Entrypoint[0]), c.platform.Architecture)
			})
		}
	}
}

// phases are what kpack runs of the lifecycle, by name.
var phases = []string{
	"analyzer", "builder", "creator", "detector", "exporter", "launcher", "lifecycle",
	"rebaser", "restorer",
}

func TestLifecycle(t *testing.T) {
	r := open(t)
	_, linux := r.lifecycle(t, platform.Linux)
	dir := t.TempDir()
	unpack(t, dir, platform.Linux, linux)
	for _, p := range append(phases, "extender") {
		isELF(t, filepath.Join(dir, "cnb/lifecycle", p), "amd64")
	}
	_, windows := r.lifecycle(t, platform.Windows)
	dir = t.TempDir()
	unpack(t, dir, platform.Windows, windows)
	for _, p := range phases {
		isPE(t, filepath.Join(dir, "cnb/lifecycle", p+".exe"))
	}
	for _, l := range []v1.Layer{linux, windows} {
		each(t, l, func(h *tar.Header, _ io.Reader) {
			name := strings.TrimPrefix(h.Name, "Files/")
			if name != "" && name != "Hives/" && name != "cnb/" && !strings.HasPrefix(name, "cnb/lifecycle/") {
				t.Errorf("%s lies outside /cnb/lifecycle", h.Name)
			}
			if at := h.ModTime.UTC().Format("2006-01-02T15:04:05Z"); at != "1980-01-01T00:00:01Z" {
				t.Errorf("%s is of %s", h.Name, at)
			}
		})
	}
}

func isPE(t *testing.T, path string) {
	t.Helper()
	f, err := pe.Open(path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	defer f.Close()
	h, ok := f.OptionalHeader.(*pe.OptionalHeader64)
	if f.Machine != pe.IMAGE_FILE_MACHINE_AMD64 || !ok || h.Subsystem != pe.IMAGE_SUBSYSTEM_WINDOWS_CUI {
		t.Errorf("%s is no console program for amd64: machine %#x", path, f.Machine)
	}
}

func isELF(t *testing.T, path, architecture string) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Errorf("%s: %v", path, err)
		return
	}
	defer f.Close()
	want := map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[architecture]
	if f.Machine != want || f.Type != elf.ET_EXEC {
		t.Errorf("%s is a %s for %s", path, f.Type, f.Machine)
	}
	if s := f.Section(".interp"); s != nil {
		b, _ := s.Data()
		t.Errorf("%s is not static: it wants %s", path, bytes.TrimRight(b, "\x00"))
	}
}
