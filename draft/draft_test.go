package draft

import (
	"flag"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

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
	for _, l := range d.Hand {
		b.WriteString("left out " + l + "\n")
	}
	contents := d.contents()
	for _, name := range sortedKeys(contents) {
		b.WriteString("-- " + name + " --\n" + string(contents[name]))
	}
	return b.String()
}

// TestNothing refuses a directory without anything to release.
func TestNothing(t *testing.T) {
	for _, files := range [][]txtar.File{nil, {{Name: "go.mod", Data: []byte("module example.com/x\n")}, {Name: "x.go", Data: []byte("package x\n")}}} {
		if _, err := read(repository(files), "/r", false, Options{}); err == nil || !strings.Contains(err.Error(), "nothing says what to release") {
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
	names := []string{"Makefile", "Dockerfile", "Dockerfile.Windows", ".ko.yaml", ".goreleaser.yaml", ".promu.yml", "deploy/a.yaml", "charts/c/Chart.yaml", "go.mod"}
	for n, seed := range []string{
		"A = $(B)\nB := $(A)$(A)\nLDFLAGS = -X main.v=$(A)\nifdef X\nendif\nelse\n", "ARG A\nFROM ${A:-golang} AS b\nRUN go build -o x .\nFROM scratch\nCOPY --from=b x y\nCOPY [\"a b\", \"c\"]\nADD x /\n",
		"FROM windows\nCOPY bin\\x.exe \\x.exe\n", "defaultBaseImage: &a \"x\\ny\"\nbaseImageOverrides: {a: *a}\n", "builds: [{binary: \"a\\u001b[0m\", ldflags: [\"-X main.a=b\\nc\"]}]",
		"build: {binaries: [{name: a, path: .}], ldflags: '-X main.version={{.Version}}'}\n", "apiVersion: v1\nkind: Pod\nimage: registry.k8s.io/a/Dockerfile:1\n", "name: x\ndescription: \"a: b # c\\n- d\"\n", "module \"example.com/a\"\n",
	} {
		f.Add(n, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, n int, text []byte) {
		m := fstest.MapFS{
			"go.mod": {Data: []byte("module example.com/a\n")}, "main.go": {Data: []byte("package main\n\nvar v string\n")},
			"Dockerfile": {Data: []byte("FROM scratch\nCOPY bin/a /a\n")},
		}
		m[names[max(n, -n, 0)%len(names)]] = &fstest.MapFile{Data: text}
		d, err := read(m, "/repository", false, Options{})
		if err != nil {
			return
		}
		y := d.YAML()
		if r := yamlfile.Read("slipway.yaml", y, yamlfile.Options{MaxBytes: 1 << 22, MaxValues: 1 << 16, MaxText: 1 << 22, MaxDepth: 20, Start: "x"}); r.Err() != nil {
			t.Fatalf("%v\n%s", r.Err(), y)
		}
		for _, c := range shown(d) {
			if c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f {
				t.Fatalf("%q in %q", c, y)
			}
		}
	})
}
