package product

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// FuzzProduct checks that every slipway.yaml is accepted or refused, with the same result
// each time and positions inside the file, and that an accepted product is valid.
func FuzzProduct(f *testing.F) {
	seed(f, "slipway.yaml")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, b []byte) {
		read := func() (*Product, error) {
			c := newChecker("slipway.yaml", dir, b)
			if !apiVersion(c.Document, &c.in.APIVersion) {
				none := func(string) string { return "" }
				if c.in.Version != fromGit && !commitPart.Match(b) { // git is not asked
					c.version(t.Context(), Options{}, none)
				}
				c.check()
				c.destinations([]string{"registry.example/team"}, none)
				c.environment(none)
				c.imageNames(t.Context())
				c.restrict(Options{Platforms: []string{"linux"}})
			}
			for _, m := range c.Errors {
				if m.Pos.File == "slipway.yaml" && (m.Pos.Line < 1 || m.Pos.Column < 1 ||
					m.Pos.Line > strings.Count(string(b), "\n")+strings.Count(string(b), "\r")+2) {
					t.Errorf("the position %v is not in the file", m)
				}
			}
			return c.out, c.Err()
		}
		p, err := read()
		if _, again := read(); err != nil && (again == nil || again.Error() != err.Error()) {
			t.Errorf("the second time it says\n%v\nafter\n%v", again, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), "%!") {
				t.Errorf("badly formatted: %v", err)
			}
			return
		}
		if !repositoryForm.MatchString(p.Name) || !tagForm.MatchString(p.Version) || len(p.Platforms) == 0 ||
			len(p.Images) == 0 {
			t.Errorf("incomplete: %+v", p)
		}
		for _, i := range p.Images {
			if len(i.Platforms) == 0 || i.Content == nil || p.Source(i.Source).Name == "" {
				t.Errorf("incomplete: %+v", i)
			}
		}
	})
}

// FuzzImageList checks that every images.txt is accepted or refused, and that
// positions point at the references.
func FuzzImageList(f *testing.F) {
	seed(f, "images.txt")
	f.Fuzz(func(t *testing.T, b []byte) {
		var m yamlfile.Errors
		if !m.CheckText("images.txt", b, maxFile) {
			return
		}
		lines := strings.Split(strings.TrimPrefix(string(b), "\ufeff"), "\n")
		list, _ := parseImageList(&m, "images.txt", "images.txt", b, nil)
		for _, i := range list {
			if at := string([]rune(lines[i.Pos.Line-1])[i.Pos.Column-1:]); !strings.HasPrefix(at, i.Text) {
				t.Errorf("%s should stand at %s, where %q stands", i.Text, i.Pos, at)
			}
			if again, _, err := parseReference(i.Reference.String()); err != nil || again.Name() != i.Reference.Name() {
				t.Errorf("%s is read as %v the second time (%v)", i.Reference, again, err)
			}
		}
		for _, e := range m {
			if e.Pos.Line > len(lines) {
				t.Errorf("the position %v is not in the file", e)
			}
		}
	})
}

// FuzzExpand checks that no template makes a large output from a small input.
func FuzzExpand(f *testing.F) {
	for _, s := range []string{
		"-X main.v={{.Version}}", "{{slice .Revision 0 7}}", "{{if eq .Version `1`}}a{{else}}b{{end}}",
		"{{range 1000000000}}x{{end}}",
		`{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`, `{{printf "%1000000d" 1}}`, "{{with $x := .}}{{end}}",
		"{{", "{{/* */}}",
		"{{image `a`}}", "{{block `a` .}}{{end}}", "{{and (or .Version .Revision) (not .Created)}}",
		"{{.Version | slice 1}}", "{{break}}",
	} {
		f.Add(s)
	}
	info := BuildInfo{"1.2.3", "0123456789", "2025", "1"}
	f.Fuzz(func(t *testing.T, s string) {
		for _, image := range []func(string) (string, error){nil, func(string) (string, error) {
			return "repository", nil
		}} {
			out, err := ExpandImages(s, info, image)
			if len(out) > 2*len(s)+20 {
				t.Errorf("%q becomes %d bytes", s, len(out))
			}
			if err == nil && !strings.Contains(s, "{{") && out != s {
				t.Errorf("%q becomes %q", s, out)
			}
		}
	})
}

// seed adds the files of that name from all test products to the corpus.
func seed(f *testing.F, name string) {
	f.Helper()
	files, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no test products (%v)", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range a.Files {
			if filepath.Base(e.Name) == name {
				f.Add(e.Data)
			}
		}
	}
}

// FuzzBasesLock checks that every bases.lock.yaml is accepted or refused, and that an
// accepted one is unchanged after writing and reading.
func FuzzBasesLock(f *testing.F) {
	seed(f, BasesLock)
	f.Fuzz(func(t *testing.T, b []byte) {
		list, m, _ := basesLock.parse(BasesLock, b)
		if len(m) > 0 {
			if strings.Contains(m.Err().Error(), "%!") {
				t.Errorf("badly formatted: %v", m.Err())
			}
			return
		}
		text, err := basesLock.encode(list)
		if err != nil {
			t.Fatal(err)
		}
		again, m, _ := basesLock.parse(BasesLock, text)
		if len(m) > 0 || len(again) != len(list) {
			t.Fatalf("what is written is read as %d bases, not %d: %v\n%s", len(again), len(list), m.Err(), text)
		}
		for i := range list {
			list[i].Pos, again[i].Pos = yamlfile.Pos{}, yamlfile.Pos{}
			list[i].Created, again[i].Created = list[i].Created.UTC(), again[i].Created.UTC()
			if !list[i].Created.Equal(again[i].Created) && list[i].Created.Nanosecond() == 0 {
				t.Errorf("the time is %v, then %v", list[i].Created, again[i].Created)
			}
			list[i].Created, again[i].Created = time.Time{}, time.Time{}
			if fmt.Sprint(list[i]) != fmt.Sprint(again[i]) {
				t.Errorf("%+v\nis read back as\n%+v", list[i], again[i])
			}
		}
	})
}

// FuzzImagesLock is FuzzBasesLock for images.lock.yaml.
func FuzzImagesLock(f *testing.F) {
	seed(f, ImagesLock)
	f.Add([]byte("apiVersion: slipway/v1\nimages:\n- {reference: a:1, digest: 'sha256:" + sampleDigest +
		"'}\n- {reference: 'docker.io/library/a:1', digest: x}\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, m, _ := imagesLock.parse(ImagesLock, b)
		if len(m) > 0 {
			if strings.Contains(m.Err().Error(), "%!") {
				t.Errorf("badly formatted: %v", m.Err())
			}
			return
		}
		text, err := EncodeImages(list)
		if err != nil {
			t.Fatal(err)
		}
		again, m, _ := imagesLock.parse(ImagesLock, text)
		if len(m) > 0 || len(again) != len(list) {
			t.Fatalf("what is written is read as %d images, not %d: %v\n%s", len(again), len(list), m.Err(), text)
		}
		for i := range list {
			if again[i].Reference != list[i].Reference || again[i].Digest != list[i].Digest {
				t.Errorf("%+v\nis read back as\n%+v", list[i], again[i])
			}
		}
	})
}
