package ko

import (
	"archive/tar"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestSameAsKo builds with both and compares.
func TestSameAsKo(t *testing.T) {
	all := images(t)
	t.Run("app linux/amd64", func(t *testing.T) {
		p := all["app linux/amd64"]
		ours, _ := files(t, p, p.ours)
		kos, _ := files(t, p, p.kos)
		// /var and /var/run are the base's, and are in the layer only because the data lies in
		// them: ko makes them read-only for all.
		differs(t, ours, kos, "var", func(f *file) { f.Mode = 0o755 })
		differs(t, ours, kos, "var/run", func(f *file) { f.Mode = 0o755 })
		equal(t, kos, ours)
		if config(t, p.ours).Entrypoint[0] != "/ko-app/app" {
			t.Errorf("the entrypoint is %q", config(t, p.ours).Entrypoint)
		}
		sameConfig(t, config(t, p.kos), config(t, p.ours))
	})
	t.Run("bare linux/amd64", func(t *testing.T) {
		p := all["bare linux/amd64"]
		ours, n := files(t, p, p.ours)
		kos, m := files(t, p, p.kos)
		// Without kodata ko adds a layer with its directories alone.
		for _, name := range []string{"var", "var/run", "var/run/ko"} {
			gone(t, ours, kos, name)
		}
		if n != 1 || m != 2 {
			t.Errorf("we have %d layers and ko %d, want 1 and 2", n, m)
		}
		equal(t, kos, ours)
		sameConfig(t, config(t, p.kos), config(t, p.ours))
	})
	for _, program := range []string{"app", "bare"} {
		t.Run(program+" windows/amd64", func(t *testing.T) {
			p := all[program+" windows/amd64"]
			ours, _ := files(t, p, p.ours)
			kos, _ := files(t, p, p.kos)
			windowsFiles(t, program, ours, kos)
			equal(t, kos, ours)

			want := config(t, p.kos)
			// Windows starts a file by its extension.
			if want.Entrypoint[0] != `C:\ko-app\`+program {
				t.Errorf("ko's entrypoint is %q", want.Entrypoint)
			}
			want.Entrypoint = []string{`C:\ko-app\` + program + ".exe"}
			// ko joins PATH with a colon, so that Windows finds neither the program nor what
			// stood last.
			if want.Env[0] != `PATH=C:\Windows\system32;C:\Windows;:C:\ko-app` {
				t.Errorf("ko's PATH is %q", want.Env)
			}
			want.Env[0] = `PATH=C:\Windows\system32;C:\Windows;C:\ko-app`
			sameConfig(t, want, config(t, p.ours))
		})
	}
}

// windowsFiles checks the differences on Windows and makes them equal.
func windowsFiles(t *testing.T, program string, ours, kos map[string]file) {
	t.Helper()
	binary := "Files/ko-app/" + program
	if ours[binary+".exe"] != kos[binary] {
		t.Errorf("our program is %+v, ko's %+v", ours[binary+".exe"], kos[binary])
	}
	delete(ours, binary+".exe")
	delete(kos, binary)
	// A directory that is ours alone has the descriptor of its files; those of the base keep
	// theirs, and their mode.
	const users = "AQAAgBQAAAAkAAAAAAAAAAAAAAABAgAAAAAABSAAAAAhAgAAAQIAAAAAAAUgAAAAIQIAAA=="
	for _, dir := range []string{"Files", "Hives"} {
		differs(t, ours, kos, dir, func(f *file) { f.Mode = 0o755 })
	}
	differs(t, ours, kos, "Files/ko-app", func(f *file) { f.SD = users })
	if program == "bare" {
		for _, name := range []string{"Files/var", "Files/var/run", "Files/var/run/ko"} {
			gone(t, ours, kos, name)
		}
		return
	}
	for _, dir := range []string{"Files/var", "Files/var/run"} {
		differs(t, ours, kos, dir, func(f *file) { f.Mode = 0o755 })
	}
	for _, dir := range []string{"", "/deep", "/deep/a", "/empty"} {
		differs(t, ours, kos, "Files/var/run/ko"+dir, func(f *file) { f.SD = users })
	}
	// ko leaves links in kodata out on Windows; we follow them, as both do on Linux.
	for name, f := range ours {
		rest, ok := strings.CutPrefix(name, "Files/var/run/ko/link")
		if !ok {
			continue
		}
		if f != ours["Files/var/run/ko/deep"+rest] {
			t.Errorf("%s is %+v, its target %+v", name, f, ours["Files/var/run/ko/deep"+rest])
		}
		delete(ours, name)
	}
}

// differs checks that a file of ours equals ko's after change, and differed before.
func differs(t *testing.T, ours, kos map[string]file, name string, change func(*file)) {
	t.Helper()
	f, ok := kos[name]
	if !ok {
		t.Errorf("ko has no %s", name)
		return
	}
	if f == ours[name] {
		t.Errorf("%s no longer differs from ko's: %+v", name, f)
	}
	change(&f)
	kos[name] = f
}

// gone checks that ko has a file that we omit.
func gone(t *testing.T, ours, kos map[string]file, name string) {
	t.Helper()
	_, we := ours[name]
	f, ko := kos[name]
	if we || !ko || f.Type != tar.TypeDir {
		t.Errorf("%s: ours %t, ko's %t %+v", name, we, ko, f)
	}
	delete(kos, name)
}

func equal(t *testing.T, kos, ours map[string]file) {
	t.Helper()
	if d := cmp.Diff(kos, ours); d != "" {
		t.Errorf("the files differ (-ko +ours):\n%s", d)
	}
}

// sameConfig compares configurations but for the labels we add.
func sameConfig(t *testing.T, kos, ours v1.Config) {
	t.Helper()
	maps.DeleteFunc(ours.Labels, func(k, _ string) bool { return strings.HasPrefix(k, "org.opencontainers.image.") })
	if d := cmp.Diff(kos, ours); d != "" {
		t.Errorf("the configurations differ (-ko +ours):\n%s", d)
	}
}

func config(t *testing.T, i v1.Image) v1.Config {
	t.Helper()
	cf, err := i.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	return cf.DeepCopy().Config
}
