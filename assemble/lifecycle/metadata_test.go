package lifecycle_test

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/assemble/lifecycle"
	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/testing/extent"
	"github.com/slipway-dev/slipway/product"
)

// TestMetadataOfTheRealOne compares the metadata that we read from the lifecycle's source
// with the lifecycle.toml that its own packager writes.
func TestMetadataOfTheRealOne(t *testing.T) {
	extent.Long(t, "it compiles the lifecycle's packager")
	p, err := product.Load(t.Context(), product.Options{Path: "../../slipway.yaml"})
	if err != nil {
		t.Fatal(err)
	}
	var img product.LifecycleImage
	for _, i := range p.Images {
		if l, ok := i.Content.(*product.LifecycleImage); ok {
			img = *l
		}
	}
	tree, err := source.Fetch(t.Context(), p.Source(img.Source))
	if err != nil {
		t.Fatal(err)
	}
	got, err := lifecycle.ReadMetadata(tree.Dir, img.Version)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(packaged(t, tree.Dir, img.Version), got); d != "" {
		t.Errorf("our metadata beside the packager's (-packager +ours):\n%s", d)
	}
}

// packaged runs the lifecycle's packager and reads its lifecycle.toml.
func packaged(t *testing.T, dir, version string) lifecycle.Metadata {
	t.Helper()
	in, out := t.TempDir(), filepath.Join(t.TempDir(), "lifecycle.tgz")
	cmd := source.Go(t.Context(), dir, "run", "./tools/packager",
		"--inputDir", in, "--archivePath", out, "--descriptorPath", "lifecycle.toml", "--version", version)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("running the packager: %v\n%s", err, text)
	}
	f, err := os.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err != nil {
			t.Fatalf("looking for lifecycle.toml: %v", err)
		}
		if h.Name == "lifecycle.toml" {
			b, err := io.ReadAll(r)
			if err != nil {
				t.Fatal(err)
			}
			return readTOML(t, string(b))
		}
	}
}

// readTOML reads sections of strings and lists of strings, whose
// notation is the same as in JSON.
func readTOML(t *testing.T, text string) (m lifecycle.Metadata) {
	t.Helper()
	into := map[string]any{
		"apis.buildpack deprecated": &m.APIs.Buildpack.Deprecated,
		"apis.buildpack supported":  &m.APIs.Buildpack.Supported,
		"apis.platform deprecated":  &m.APIs.Platform.Deprecated, "apis.platform supported": &m.APIs.Platform.Supported,
		"api platform": &m.API.Platform, "api buildpack": &m.API.Buildpack,
		"lifecycle version": &m.Version,
	}
	section := ""
	for line := range strings.Lines(text) {
		if s := regexp.MustCompile(`^\[(.*)\]`).FindStringSubmatch(line); s != nil {
			section = s[1]
		}
		key, value, ok := strings.Cut(line, " = ")
		v := into[section+" "+strings.TrimSpace(key)]
		if !ok || v == nil {
			continue
		}
		if err := json.Unmarshal([]byte(value), v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		delete(into, section+" "+strings.TrimSpace(key))
	}
	if len(into) > 0 {
		t.Fatalf("lifecycle.toml lacks %v:\n%s", into, text)
	}
	return m
}

const (
	apis = `package api

var (
	Platform  = newApisMustParse([]string{"0.7", "0.8"}, []string{"0.7"})
	Buildpack = newApisMustParse([]string{"0.9"}, []string{})
)
`
	toml = "[apis]\n[api]\n  platform = \"0.7\"\n  buildpack = \"0.9\"\n"
)

func TestReadMetadata(t *testing.T) {
	got, err := lifecycle.ReadMetadata(module(t, apis, toml), "1.2.3")
	want := lifecycle.Metadata{
		Version: "1.2.3", API: lifecycle.API{Platform: "0.7", Buildpack: "0.9"},
		APIs: lifecycle.APIs{
			Platform:  lifecycle.Versions{Supported: []string{"0.7", "0.8"}, Deprecated: []string{"0.7"}},
			Buildpack: lifecycle.Versions{Supported: []string{"0.9"}, Deprecated: []string{}},
		},
	}
	if d := cmp.Diff(want, got); err != nil || d != "" {
		t.Fatalf("%v (-want +got):\n%s", err, d)
	}
	// kpack's decoder distinguishes null from an empty list.
	b, err := json.Marshal(got)
	if err != nil || strings.Contains(string(b), "null") {
		t.Errorf("the label is %s (%v)", b, err)
	}
}

func TestReadMetadataErrors(t *testing.T) {
	for _, tc := range []struct{ name, apis, toml, says string }{
		{"no Go", "not go", toml, "apis.go"},
		{"no lists", "package api\n", toml, "Buildpack API versions"},
		{"one list", "package api\n\nvar Platform, Buildpack = 1, 2\n", toml, "API versions"},
		{"lists of something else", strings.ReplaceAll(apis, `"0.7"`, "seven"), toml, "Platform API versions"},
		{"an empty list", strings.ReplaceAll(apis, `"0.9"`, ""), toml, "Buildpack API versions"},
		{"computed lists", strings.Replace(apis, `[]string{"0.7", "0.8"}`, "all()", 1), toml, "Platform API versions"},
		{"no section", apis, "[lifecycle]\n", "[api] section"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if m, err := lifecycle.ReadMetadata(module(t, tc.apis, tc.toml), "1"); err == nil ||
				!strings.Contains(err.Error(), tc.says) {
				t.Errorf("it gives %+v and the error %v, want one that says %q", m, err, tc.says)
			}
		})
	}
	if _, err := lifecycle.ReadMetadata(t.TempDir(), "1"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an empty directory gives %v", err)
	}
}

// FuzzReadMetadata checks that no source causes a panic, and that
// accepted metadata has versions.
func FuzzReadMetadata(f *testing.F) {
	f.Add(apis, toml)
	f.Add("package api\n\nvar Platform = newApisMustParse([]string{`0.1`}, nil)\n",
		"[api]\n platform = \"1\"\n buildpack = \"2\"\n")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, apis, toml string) {
		m, err := lifecycle.ReadMetadata(module(t, apis, toml), "1")
		if err == nil && (len(m.APIs.Platform.Supported) == 0 || len(m.APIs.Buildpack.Supported) == 0 ||
			m.API.Platform == "" || m.API.Buildpack == "") {
			t.Errorf("%q and %q give %+v", apis, toml, m)
		}
	})
}

func module(t *testing.T, apis, toml string) string {
	t.Helper()
	dir := t.TempDir()
	err := errors.Join(
		os.Mkdir(filepath.Join(dir, "api"), 0o755),
		os.WriteFile(filepath.Join(dir, "api", "apis.go"), []byte(apis), 0o644),
		os.WriteFile(filepath.Join(dir, "lifecycle.toml"), []byte(toml), 0o644),
	)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
