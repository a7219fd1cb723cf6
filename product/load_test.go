package product

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestLoad loads every archive of testdata: its files in an empty directory, with the
// options that its comment gives as flags and NAME=value. The file "want" is the product
// as JSON or, in bad/, the error. Comment lines that start with # describe the case.
func TestLoad(t *testing.T) {
	for _, kind := range []string{"good", "bad"} {
		files, err := filepath.Glob(filepath.Join("testdata", kind, "*.txtar"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no archives of %s products (%v)", kind, err)
		}
		for _, file := range files {
			t.Run(kind+"/"+strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
				a, err := txtar.ParseFile(file)
				if err != nil {
					t.Fatal(err)
				}
				golden(t, file, a, result(t, a, kind == "bad"))
			})
		}
	}
}

// result returns the result of loading an archive.
func result(t *testing.T, a *txtar.Archive, bad bool) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range a.Files {
		if f.Name == "want" {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	p, err := Load(t.Context(), parseOptions(t, string(a.Comment)))
	switch {
	// Demands also fail a release, after all other checks.
	case bad && err == nil && len(p.Demands) > 0:
		return strings.ReplaceAll(strings.Join(p.Demands, "\n"), dir, "$DIR") + "\n"
	case bad && err == nil:
		t.Fatal("the product is loaded")
	case bad:
		return strings.ReplaceAll(err.Error(), dir, "$DIR") + "\n"
	case err != nil:
		t.Fatal(err)
	}
	return strings.ReplaceAll(dump(t, p), dir, "$DIR")
}

// dump formats a product as JSON without empty fields, and platforms as strings.
func dump(t *testing.T, p *Product) string {
	t.Helper()
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	b, err := json.MarshalIndent(short(v), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b) + "\n"
}

func short(v any) any {
	switch v := v.(type) {
	case map[string]any:
		if os, ok := v["os"].(string); ok {
			version, _ := v["os.version"].(string)
			return strings.TrimSuffix(os+"/"+v["architecture"].(string)+":"+version, ":")
		}
		for k, e := range v {
			if e = short(e); e == nil || e == false || e == "" || e == "0001-01-01T00:00:00Z" {
				delete(v, k)
				continue
			}
			v[k] = e
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i, e := range v {
			v[i] = short(e)
		}
	}
	return v
}

// parseOptions parses the comment of an archive and sets the environment variables in it.
func parseOptions(t *testing.T, comment string) Options {
	t.Helper()
	t.Setenv("SLIPWAY_REGISTRY", "")
	t.Setenv("SLIPWAY_VERSION", "")
	t.Setenv("SOURCE_DATE_EPOCH", "")
	var o Options
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.StringVar(&o.Path, "product", "", "")
	fs.StringVar(&o.Version, "version", "", "")
	fs.StringVar(&o.Channel, "channel", "", "")
	list := func(to *[]string) func(string) error {
		return func(s string) error { *to = strings.Split(s, ","); return nil }
	}
	fs.Func("registry", "", list(&o.Registries))
	fs.Func("platforms", "", list(&o.Platforms))
	fs.Func("images", "", list(&o.Images))
	var args []string
	for line := range strings.Lines(comment) {
		if !strings.HasPrefix(line, "#") {
			args = append(args, strings.Fields(line)...)
		}
	}
	if err := fs.Parse(args); err != nil {
		t.Fatal(err)
	}
	for _, kv := range fs.Args() {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, v)
	}
	return o
}

// golden compares got with the archive's file "want".
func golden(t *testing.T, file string, a *txtar.Archive, got string) {
	t.Helper()
	at := len(a.Files)
	for i, f := range a.Files {
		if f.Name == "want" {
			at = i
		}
	}
	if !*update {
		if at == len(a.Files) {
			t.Fatalf("no want: run go test ./product -update")
		}
		if diff := cmp.Diff(string(a.Files[at].Data), got); diff != "" {
			t.Errorf("the result is another (-want +got):\n%s", diff)
		}
		return
	}
	t.Chdir(source)
	a.Files = append(a.Files[:at], txtar.File{Name: "want", Data: []byte(got)})
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

// source is the directory of this package.
var source, _ = os.Getwd()

// TestOwn loads the products of this repository.
func TestOwn(t *testing.T) {
	for _, tc := range []struct {
		path             string
		images, programs int
		bundles          []string
	}{
		{"../slipway.yaml", 7, 7, []string{
			"kpack-images.linux-amd64", "kpack-images.windows-ltsc2025-amd64", "kpack-images.windows-ltsc2022-amd64",
			"kpack-images.windows-ltsc2019-amd64", "kpack-images",
		}},
		{"../examples/hello/slipway.yaml", 2, 2, []string{
			"hello-images.linux-amd64", "hello-images.windows-ltsc2025-amd64", "hello-images.windows-ltsc2022-amd64",
			"hello-images.windows-ltsc2019-amd64", "hello-images",
		}},
	} {
		t.Run(tc.path, func(t *testing.T) {
			// A registry makes it a release, in which every base must be pinned.
			p, err := Load(t.Context(), Options{Path: tc.path, Registries: []string{"registry.example"}})
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Images) != tc.images || len(p.Programs) != tc.programs {
				t.Errorf("it has %d images and %d programs, want %d and %d", len(p.Images), len(p.Programs),
					tc.images, tc.programs)
			}
			var bundles []string
			for _, b := range p.Airgap.Bundles {
				bundles = append(bundles, b.Name)
			}
			if diff := cmp.Diff(tc.bundles, bundles); diff != "" {
				t.Errorf("the bundles are others:\n%s", diff)
			}
		})
	}
}

func TestMissing(t *testing.T) {
	t.Chdir(t.TempDir())
	if _, err := Load(t.Context(), Options{}); err == nil ||
		!strings.Contains(err.Error(), "slipway.yaml is not there") {
		t.Errorf("Load says %v", err)
	}
	if _, err := Load(t.Context(), Options{Path: "."}); err == nil || !strings.Contains(err.Error(), "reading .") {
		t.Errorf("Load of a directory says %v", err)
	}
}
