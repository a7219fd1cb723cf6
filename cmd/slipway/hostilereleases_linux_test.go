package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/slipway-dev/slipway/evidence/provenance"
)

// evilFlags are what a slipway.yaml passes to the go command; EVIL is a program.
var evilFlags = map[string]string{
	"toolexec":    "flags: ['-toolexec=EVIL']",
	"toolexec-2":  "flags: [-toolexec, EVIL]",
	"overlay":     "flags: [-overlay=overlay.json]",
	"modfile":     "flags: [-modfile=other.mod]",
	"buildvcs":    "flags: [-buildvcs=true]",
	"compiler":    "flags: [-compiler=gccgo]",
	"extld":       "ldflags: [-linkmode=external, -extld=EVIL]",
	"linkmode":    "ldflags: ['-linkmode external -extld EVIL']",
	"cacheprog":   "env: [GOCACHEPROG=EVIL]",
	"cc":          "env: [CGO_ENABLED=1, CC=EVIL]",
	"cc-2":        "cc: {linux/amd64: EVIL}",
	"cxx":         "env: [CGO_ENABLED=1, CXX=EVIL]",
	"pkg-config":  "env: [CGO_ENABLED=1, PKG_CONFIG=EVIL]",
	"goflags":     "env: ['GOFLAGS=-toolexec=EVIL']",
	"toolchain":   "env: [GOTOOLCHAIN=path]",
	"goenv":       "env: [GOENV=env]",
	"goauth":      "env: ['GOAUTH=EVIL', GOPROXY=https://localhost:1]",
	"govcs":       "env: ['GOVCS=*:all', GOPROXY=direct, GONOSUMDB=*]",
	"path":        "env: [PATH=.]",
	"goroot":      "env: [GOROOT=.]",
	"godebug":     "env: [GODEBUG=execerrdot=0]",
	"go-tool-dir": "env: [GOTOOLDIR=.]",
}

// evilSources are dependencies of a statement: where a source is, instead of in the archive.
var evilSources = map[string]string{
	"http": "git+http://localhost:1/a", "https": "git+https://localhost:1/a", "ext": "git+ext::EVIL",
	"file": "git+file://HERE", "ssh": "git+ssh://-oProxyCommand=EVIL/a", "flag": "git+--upload-pack=EVIL",
	"credentials": "git+https://u:p@localhost/a",
}

const demoProgram = `apiVersion: slipway/v1
name: demo
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: app, directory: ., revision: v1, created: 2024-01-01T00:00:00Z}]
bases: [{name: static, builtin: static}]
programs: [{name: app, source: app, package: ., FLAGS}]
images: [{name: app, source: app, go: {program: app}, bases: {linux: static}}]
`

// hostileReleases makes releases whose inputs name programs, and looks at them.
func hostileReleases(t *testing.T) (all []hostileCase) {
	t.Helper()
	commands := [][]string{{"reproduce", "dist"}, {"report", "-o=page.html", "dist"}, {"verify", "dist"}}
	dist := goodRelease(t)
	add := func(name string, forge func(t *testing.T, top, evil string, st map[string]any, files map[string]string)) {
		all = append(all, hostileCase{"release/" + name, func(t *testing.T, top, evil string) string {
			files := map[string]string{
				"product/slipway.yaml": strings.Replace(demoProgram, ", FLAGS", "", 1),
				"product/main.go":      "package main\n\nfunc main() {}\n",
				"product/go.mod":       "module example.com/demo\n\ngo 1.26\n",
			}
			if err := os.CopyFS(filepath.Join(top, "dist"), os.DirFS(dist)); err != nil {
				t.Fatal(err)
			}
			forgeRelease(t, filepath.Join(top, "dist"), files, func(st map[string]any) {
				forge(t, top, evil, st, files)
			})
			return top
		}, commands})
	}
	for name, flags := range evilFlags {
		add(name, func(_ *testing.T, _, evil string, _ map[string]any, files map[string]string) {
			files["product/slipway.yaml"] = strings.ReplaceAll(strings.Replace(demoProgram, "FLAGS", flags, 1),
				"EVIL", evil)
		})
	}
	for name, uri := range evilSources {
		add("source-"+name, func(_ *testing.T, top, evil string, st map[string]any, _ map[string]string) {
			dependencies, _ := st["resolvedDependencies"].([]any)
			st["resolvedDependencies"] = append(dependencies, map[string]any{
				"uri":    strings.NewReplacer("EVIL", evil, "HERE", top).Replace(uri),
				"digest": map[string]any{"gitCommit": strings.Repeat("a", 40)},
				"annotations": map[string]any{
					"kind": "source", "source": "app",
					"path": ".", "created": "2024-01-01T00:00:00Z", "own": true,
				},
			})
		})
	}
	for _, name := range []string{
		"product/.git/config", "product/.GIT/config", "product/sub/.git",
		"sources/app/.git/config",
	} {
		add(strings.ReplaceAll(name, "/", "-"),
			func(_ *testing.T, _, evil string, _ map[string]any, files map[string]string) {
				files[name] = "[core]\n\tfsmonitor = " + evil + "\n"
			})
	}
	add("ko", func(_ *testing.T, _, evil string, _ map[string]any, files map[string]string) {
		files["product/.ko.yaml"] = "defaultEnv: [CGO_ENABLED=1, CC=" + evil + "]\ndefaultFlags: ['-toolexec=" +
			evil + "']\n"
	})
	add("docker", func(_ *testing.T, _, evil string, _ map[string]any, files map[string]string) {
		files["product/Dockerfile"] = "FROM golang:1.26 AS b\nWORKDIR /src\nCOPY . .\nENV CC=" +
			evil + " GOCACHEPROG=" + evil + "\nRUN go build -toolexec=" +
			evil + " -o /app .\nFROM scratch\nCOPY --from=b /app /\n"
		files["product/slipway.yaml"] = "apiVersion: slipway/v1\nname: " +
			"demo\nversion: 1.0.0\nplatforms: [linux/amd64]\n" +
			"sources: [{name: app, directory: ., revision: v1, created: 2024-01-01T00:00:00Z}]\nimages: " +
			"[{name: app, source: app, dockerfile: {file: Dockerfile, context: .}}]\n"
	})
	for _, version := range []string{"go1.26-evil", "path", "../evil", "local"} {
		add("go-"+strings.ReplaceAll(version, "/", "-"),
			func(_ *testing.T, _, _ string, st map[string]any, _ map[string]string) {
				dependencies, _ := st["resolvedDependencies"].([]any)
				st["resolvedDependencies"] = append(dependencies, map[string]any{
					"uri":         "pkg:golang/golang.org/toolchain@v0.0.1-" + version + ".linux-amd64",
					"digest":      map[string]any{"sha256": strings.Repeat("a", 64)},
					"annotations": map[string]any{"kind": "toolchain"},
				})
			})
	}
	return all
}

// goodRelease makes a release without a compiler and returns its directory.
func goodRelease(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, "slipway.yaml", describedRest+"version: 1.0.0\nsources: [{name: app, directory: "+
		"., revision: v1, created: 2024-01-01T00:00:00Z}]\n")
	put(t, dir, "Dockerfile", "FROM scratch\nCOPY a.yaml /\n")
	put(t, dir, "config/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	command(t, dir, slipway(t), "release", "-q", "-binary=false")
	return filepath.Join(dir, "dist")
}

// forgeRelease gives a release other inputs, with their digest in its statement.
func forgeRelease(t *testing.T, dist string, files map[string]string, forge func(definition map[string]any)) {
	t.Helper()
	file := filepath.Join(dist, "provenance.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var st map[string]any
	if err := json.Unmarshal(text, &st); err != nil {
		t.Fatal(err)
	}
	predicate, _ := st["predicate"].(map[string]any)
	definition, _ := predicate["buildDefinition"].(map[string]any)
	if definition == nil {
		t.Fatalf("the statement is %s", text)
	}
	forge(definition)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, text := range files {
		err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Typeflag: tar.TypeReg})
		if _, writeErr := w.Write([]byte(text)); err != nil || writeErr != nil {
			t.Fatal(err, writeErr)
		}
	}
	if err := errors.Join(w.Close(), z.Close()); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(b.Bytes())
	const archive = "demo-1.0.0.inputs.tar.gz"
	dependencies, _ := definition["resolvedDependencies"].([]any)
	for _, d := range dependencies {
		if d, _ := d.(map[string]any); d["uri"] == archive {
			d["digest"] = map[string]any{"sha256": hex.EncodeToString(sum[:])}
		}
	}
	text, err = json.Marshal(st)
	if err != nil {
		t.Fatal(err)
	}
	var canonical provenance.Statement
	if err := json.Unmarshal(text, &canonical); err != nil {
		t.Fatal(err)
	}
	forged, err := canonical.Encode() // else it is refused before anything is made
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"provenance.json": forged, archive: b.Bytes()} {
		if err := os.WriteFile(filepath.Join(dist, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
