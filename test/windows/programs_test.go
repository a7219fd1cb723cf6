package windows

import (
	"archive/tar"
	"bytes"
	"debug/pe"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/stagefile"
	"github.com/slipway-dev/slipway/lock"
	"github.com/slipway-dev/slipway/platform"
	"github.com/slipway-dev/slipway/store"
)

// call is how a program is started to see that it runs, and what it says then.
type call struct {
	args []string
	env  []string
	says string
	ok   bool // it ends with 0
}

// kpack are all programs of kpack's Windows images, by their path in the image without drive and
// extension.
func kpack(lifecycle string) map[string]call {
	usage := func(flag string) call { return call{args: []string{"-h"}, says: flag, ok: true} }
	platform := []string{"CNB_PLATFORM_API=0.7"}
	all := map[string]call{
		"cnb/process/build-init": usage("-dns-probe-hostname"),
		"cnb/process/completion": usage("-notary-v1-url"),
		// It has no flags: it starts what follows --, here the entrypoint that it lies
		// beside, by a path without .exe, as kpack writes it.
		"cnb/process/network-wait-launcher": {args: []string{"localhost", "--"}, ok: true},
		// Nor has the launcher, which looks for a command to start.
		"cnb/lifecycle/lifecycle": {args: []string{"-version"}, says: lifecycle + "+", ok: true},
		"cnb/lifecycle/launcher":  {args: []string{"nothing"}, env: platform, says: "metadata.toml"},
	}
	// Each phase is the lifecycle, which looks at its own name and has other flags by each.
	for phase, flag := range map[string]string{
		"analyzer": "-stack", "builder": "-plan", "creator": "-skip-restore", "detector": "-order",
		"exporter": "-process-type", "rebaser": "-report", "restorer": "-skip-layers",
	} {
		all["cnb/lifecycle/"+phase] = call{args: []string{"-h"}, env: platform, says: flag, ok: true}
	}
	return all
}

// TestPrograms takes each Windows image's files out of the finished image and runs its entrypoint
// and every program in it.
func TestPrograms(t *testing.T) {
	r := open(t)
	w := newDrive(t)
	calls := kpack(lockedLifecycle(t, r))
	programs := map[string]bool{}
	run := func(t *testing.T, found []string, entry string) {
		t.Helper()
		for _, p := range found {
			programs[p] = true
			c, ok := calls[p]
			if !ok {
				t.Errorf("nobody says how %s is run: add it to the programs that this test knows", p)
				continue
			}
			if path.Base(p) == "network-wait-launcher" {
				c.args, c.says = append(append(c.args, "/"+entry), calls[entry].args...), calls[entry].says
			}
			t.Run(p, func(t *testing.T) { w.check(t, `C:\`+strings.ReplaceAll(p, "/", `\`)+".exe", c) })
		}
	}
	for name, children := range r.children(t, platform.Windows) {
		c := children[0] // the others have the same layers on another base: TestOneWindowsBuild
		t.Run(name, func(t *testing.T) {
			w.clear(t)
			found := w.lay(t, layersOf(t, c.image)...)
			entry := strings.TrimSuffix(strings.ReplaceAll(strings.TrimPrefix(c.config.Config.Entrypoint[0], `C:\`),
				`\`, "/"), ".exe")
			if !slices.Contains(found, entry) {
				t.Fatalf("the entrypoint %s is none of the image's programs %q", entry, found)
			}
			w.check(t, c.config.Config.Entrypoint[0], calls[entry])
			run(t, found, entry)
		})
	}
	t.Run("lifecycle", func(t *testing.T) {
		w.clear(t)
		_, layer := r.lifecycle(t, platform.Windows)
		run(t, w.lay(t, layer), "")
	})
	for p := range calls {
		if !programs[p] {
			t.Errorf("%s lies in no image", p)
		}
	}
}

// TestHello builds examples/hello with the released slipway and runs both its images by their
// configuration.
func TestHello(t *testing.T) {
	open(t) // it says what is missing
	w := newDrive(t)
	hello := example(t, filepath.Join("..", "..", "examples", "hello"))
	says := map[string]string{"hello": "Hello, world (hello 1.0.0)", "hostinfo": " runs windows/amd64"}
	for name, children := range hello.children(t, platform.Windows) {
		t.Run(name, func(t *testing.T) {
			c := children[0]
			w.clear(t)
			w.lay(t, layersOf(t, c.image)...)
			config := c.config.Config
			var env []string
			for _, kv := range config.Env {
				if k, _, _ := strings.Cut(kv, "="); !strings.EqualFold(k, "PATH") {
					env = append(env, kv)
				}
			}
			w.check(t, config.Entrypoint[0],
				call{args: append(config.Entrypoint[1:], config.Cmd...), env: env, says: says[name], ok: true})
		})
	}
}

func (w drive) check(t *testing.T, program string, c call) {
	t.Helper()
	out, err := w.Run(t, c.env, program, c.args...)
	if (err == nil) != c.ok || c.says == "" || !strings.Contains(out, c.says) {
		t.Errorf("%s %q does not say %q (%v):\n%s", program, c.args, c.says, err, out)
	}
}

// clear takes from the drive what images have put there, so that none finds the files of another.
func (w drive) clear(t *testing.T) {
	t.Helper()
	all, err := os.ReadDir(w.Dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		if slices.Contains([]string{"windows", "users", "Program Files", "Program Files (x86)", "ProgramData"},
			f.Name()) {
			continue // wine's own
		}
		if err := os.RemoveAll(filepath.Join(w.Dir, f.Name())); err != nil {
			t.Fatal(err)
		}
	}
}

// lay puts layers onto the drive and returns the programs among their files, without .exe. Hard
// links are programs, too.
func (w drive) lay(t *testing.T, layers ...v1.Layer) (found []string) {
	t.Helper()
	unpack(t, w.Dir, platform.Windows, layers...)
	for _, l := range layers {
		each(t, l, func(h *tar.Header, _ io.Reader) {
			name, ok := strings.CutPrefix(h.Name, "Files/")
			if !ok || h.Typeflag != tar.TypeReg && h.Typeflag != tar.TypeLink {
				return
			}
			f, err := pe.Open(filepath.Join(w.Dir, filepath.FromSlash(name)))
			if err != nil {
				if strings.HasSuffix(name, ".exe") {
					t.Errorf("%s is no program: %v", name, err)
				}
				return
			}
			f.Close()
			found = append(found, strings.TrimSuffix(name, ".exe"))
		})
	}
	return found
}

func layersOf(t *testing.T, img v1.Image) []v1.Layer {
	t.Helper()
	layers, err := img.Layers()
	if err != nil {
		t.Fatal(err)
	}
	return layers
}

// example builds a product with the slipway that the release brings along.
func example(t *testing.T, from string) release {
	t.Helper()
	slipway, err := filepath.Abs(filepath.Join(os.Getenv("SLIPWAY_DIST"), "bin", "slipway"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), slipway, "stage", "build", "-q", "-product="+filepath.Join(dir, "slipway.yaml"),
		"-platforms=windows/amd64:ltsc2022",
		"-store="+filepath.Join(dir, "store"), "-out="+filepath.Join(dir, "out"))
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	result, err := built.Read(filepath.Join(dir, "out", stagefile.Build.Name))
	if err != nil {
		t.Fatal(err)
	}
	l := &lock.Lock{Release: lock.Release{Sources: result.Sources}}
	for _, i := range result.Images {
		l.Images = append(l.Images, lock.Image{Name: i.Name, Kind: i.Kind, Children: i.Children})
	}
	st, err := store.Open(filepath.Join(dir, "store"))
	if err != nil {
		t.Fatal(err)
	}
	return release{l, st}
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
