package scaffold

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/testing/golden"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRead makes drafts of small repositories, each with a shape that products have.
func TestRead(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			d, err := read(repository(a.Files), "/repository", false, Options{})
			if err != nil {
				t.Fatal(err)
			}
			d.decideFlags()
			golden.Compare(t, *update, strings.TrimSuffix(file, ".txtar")+".golden", shown(d))
		})
	}
}

func repository(files []txtar.File) fs.FS {
	m := fstest.MapFS{}
	for _, f := range files {
		m[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return m
}

// shown is all of a draft as text.
func shown(d *Draft) string {
	var b strings.Builder
	for _, l := range d.Found {
		b.WriteString("found " + l + "\n")
	}
	for _, l := range d.left {
		b.WriteString("omitted: " + l.kind + ": " + listed(l.items) + "\n")
	}
	b.WriteString("-- slipway.yaml --\n" + string(d.YAML()))
	return b.String()
}

// TestWithout: a product may have archives and no image.
func TestWithout(t *testing.T) {
	files := []txtar.File{
		{Name: "go.mod", Data: []byte("module github.com/example/app\n")},
		{Name: "main.go", Data: []byte("package main\n")},
		{Name: ".goreleaser.yaml", Data: []byte("builds: [{binary: app, goos: [linux], goarch: [amd64]}]\n")},
	}
	d, err := read(repository(files), "/r", true, Options{Answers: map[string]string{"images": "none"}})
	must(t, err)
	text := string(d.YAML())
	if strings.Contains(text, "images:") || strings.Contains(text, "destinations:") || !strings.Contains(text, "artifacts:") {
		t.Errorf("slipway.yaml is\n%s", text)
	}
	for _, q := range d.Questions {
		if q.Key == "destinations" || q.Key == "tagPrefix" {
			t.Errorf("it asks for %s of images", q.Key)
		}
	}
}

// TestPromuLinux reads a .promu.yml, whose platforms are those of archives: for which ones the
// image is, nothing says.
func TestPromuLinux(t *testing.T) {
	d, err := read(repository([]txtar.File{
		{Name: "go.mod", Data: []byte("module example.com/x\n")},
		{Name: "main.go", Data: []byte("package main\n\nfunc main() {}\n")},
		{Name: ".promu.yml", Data: []byte("crossbuild: {platforms: [linux, openbsd/amd64]}\n")},
	}), "/r", false, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !cmp.Equal(d.platforms, want) ||
		!slices.ContainsFunc(d.Questions, func(q Question) bool { return q.Key == "platforms[linux]" }) {
		t.Errorf("platforms %v, questions %v", d.platforms, d.Questions)
	}
}

// TestNothing refuses a directory without anything to release.
func TestNothing(t *testing.T) {
	for _, files := range [][]txtar.File{
		nil,
		{{Name: "go.mod", Data: []byte("module example.com/x\n")}, {Name: "x.go", Data: []byte("package x\n")}},
	} {
		if _, err := read(repository(files), "/r", false, Options{}); err == nil ||
			!strings.Contains(err.Error(), "nothing says what to release") {
			t.Errorf("%v", err)
		}
	}
	_, err := read(repository([]txtar.File{{Name: "go.mod", Data: []byte("modul x\n")}}), "/r", false, Options{})
	if err == nil || !strings.HasPrefix(err.Error(), "go.mod is not a go.mod that the go command reads") {
		t.Errorf("%v", err)
	}
}

// FuzzRead reads repositories whose files are arbitrary. What it writes is YAML that other readers
// understand, in lines without control characters.
func FuzzRead(f *testing.F) {
	names := []string{
		"Makefile", "Dockerfile", "Dockerfile.Windows", ".ko.yaml", ".goreleaser.yaml",
		".promu.yml", "deploy/a.yaml", "charts/c/Chart.yaml", "go.mod", ".github/workflows/release.yml",
		"docker-bake.hcl", "build.sh",
	}
	for n, seed := range []string{
		"A = $(B)\nB := $(A)$(A)\nLDFLAGS = -X main.v=$(A)\nifdef X\nendif\nelse\n",
		"ARG A\nFROM ${A:-golang} AS b\nRUN go build -o x .\nFROM scratch\nCOPY --from=b x y\nCOPY " +
			"[\"a b\", \"c\"]\nADD x /\n",
		"FROM windows\nCOPY bin\\x.exe \\x.exe\n", "defaultBaseImage: &a \"x\\ny\"\nbaseImageOverrides: {a: *a}\n",
		"builds: [{binary: \"a\\u001b[0m\", ldflags: [\"-X main.a=b\\nc\"]}]",
		"build: {binaries: [{name: a, path: .}], ldflags: '-X main.version={{.Version}}'}\n",
		"apiVersion: v1\nkind: Pod\nimage: registry.k8s.io/a/Dockerfile:1\n",
		"name: x\ndescription: \"a: b # c\\n- d\"\n", "module \"example.com/a\"\n",
		"jobs: {a: {strategy: {matrix: {t: [x, {y: z}], include: [{t: a}]}}, steps: [{run: 'docker build " +
			"-t a/${{ matrix.t }} .'}, {uses: docker/build-push-action@v6, with: {target: '${{ matrix.t }}'}}]}}\n",
		"variable \"A\" { default = \"x\" }\ntarget \"a\" {\n inherits = [\"a\", \"b\"]\n args = { A = \"${A}\" }\n}\n",
		"cd a && docker buildx build --build-arg A=\"$(x \\\n y)\" -f $D/Dockerfile . ; b\n",
	} {
		f.Add(n, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, n int, text []byte) {
		m := fstest.MapFS{
			"go.mod":     {Data: []byte("module example.com/a\n")},
			"main.go":    {Data: []byte("package main\n\nvar v string\n")},
			"Dockerfile": {Data: []byte("FROM scratch\nCOPY bin/a /a\n")},
		}
		m[names[max(n, -n, 0)%len(names)]] = &fstest.MapFile{Data: text}
		d, err := read(m, "/repository", false, Options{})
		if err != nil {
			return
		}
		y := d.YAML()
		if r := yamlfile.Read("slipway.yaml", y, yamlfile.Options{
			MaxBytes: 1 << 22, MaxValues: 1 << 16,
			MaxText: 1 << 22, MaxDepth: 20, Start: "x",
		}); r.Err() != nil {
			t.Fatalf("%v\n%s", r.Err(), y)
		}
		for _, c := range string(y) + strings.Join(d.Found, "") + fmt.Sprint(d.left) {
			if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
				t.Fatalf("%q in %q", c, y)
			}
		}
	})
}

// TestExamples checks that the embedded examples are those of the repository, and writes each.
func TestExamples(t *testing.T) {
	now, err := pack("../examples")
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, *update, "examples.txtar", string(now))
	if d := cmp.Diff([]string{"csi-driver-smb", "hello", "rke2"}, Examples()); d != "" {
		t.Errorf("the examples are (-want +got):\n%s", d)
	}
	for _, name := range Examples() {
		dir := filepath.Join(t.TempDir(), "new", name)
		made, err := Example(t.Context(), name, dir, nil)
		if err != nil || len(made) == 0 {
			t.Fatal(err)
		}
		for _, f := range made {
			got, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if at := strings.Index(string(got), "examples/"); at >= 0 {
				t.Errorf("%s names a path that only the repository of the example has: %.60q", f, got[at:])
			}
			rel, err := filepath.Rel(dir, f)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(filepath.Join("../examples", name, rel))
			if err != nil || strings.Contains(string(got), "=../../") ||
				rel != "slipway.yaml" && string(got) != strings.TrimRight(string(want), "\n")+"\n" {
				t.Errorf("%s differs from the example's (%v)", f, err)
			}
		}
		// One file that is there stops it, and nothing of it is left.
		again := t.TempDir()
		taken := filepath.Join(again, "slipway.yaml")
		if err := os.WriteFile(taken, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Example(t.Context(), name, again, nil); err == nil ||
			!strings.Contains(err.Error(), taken+" already exists") {
			t.Errorf("%v", err)
		}
		if left, err := os.ReadDir(again); err != nil || len(left) > 1 && !onlyDirectories(left) {
			t.Errorf("left are %v, %v", left, err)
		}
	}
	if _, err := Example(t.Context(), "helo", t.TempDir(), nil); err == nil ||
		!strings.Contains(err.Error(), "did you mean hello?") {
		t.Errorf("%v", err)
	}
}

func onlyDirectories(list []os.DirEntry) bool {
	for _, e := range list {
		if !e.IsDir() && e.Name() != "slipway.yaml" {
			return false
		}
	}
	return true
}

// pack makes the archive of a directory of examples.
func pack(dir string) ([]byte, error) {
	var a txtar.Archive
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && (e.Name() == ".slipway" || e.Name() == "dist"):
			return fs.SkipDir // of a user who released the example by hand
		case !e.Type().IsRegular() || !strings.Contains(p, "/") || e.Name() == ".gitignore":
			return nil
		}
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		a.Files = append(a.Files, txtar.File{Name: p, Data: text})
		return err
	})
	return txtar.Format(&a), err
}
