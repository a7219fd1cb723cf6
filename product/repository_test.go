package product

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhoseSource checks which directories are the product's own: those of its
// repository, except for repositories nested in it.
func TestWhoseSource(t *testing.T) {
	for _, tc := range []struct {
		name, product, source string
		own                   bool
		made                  []string // directories; one ending in .git makes its parent a repository
		links                 map[string]string
	}{
		{name: "no repository", product: "a", source: "a", own: true},
		{name: "no repository, below", product: "a", source: "a/b", own: true},
		{name: "no repository, beside", product: "a/b", source: "a/c"},
		{
			name: "a repository that others are in, too", product: "a/b", source: "a/c", own: true,
			made: []string{"a/.git"},
		},
		{name: "another repository", product: "a", source: "b", made: []string{"a/.git", "b/.git"}},
		{name: "a repository within", product: "a", source: "a/b/c", made: []string{"a/.git", "a/b/.git"}},
		{name: "a repository within none", product: "a", source: "a/b/c", made: []string{"a/b/.git"}},
		{name: "a product in a repository within", product: "a/b", source: "a", made: []string{"a/.git", "a/b/.git"}},
		{name: "by a link to itself", product: "link", source: "a/b", own: true, links: map[string]string{"link": "a"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir := t.TempDir()
			for _, d := range append([]string{"a/b/c", "a/c", "b", tc.source}, tc.made...) {
				if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			for from, to := range tc.links {
				if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
					t.Fatal(err)
				}
			}
			text := "apiVersion: slipway/v1\nname: app\nversion: 1.0.0\nplatforms: " +
				"[linux/amd64]\nsources:\n  - {name: s, directory: \"" + filepath.Join(dir, tc.source) +
				"\", revision: abc, created: 2025-01-01T00:00:00Z}\nimages:\n  - {name: i, source: " +
				"s, dockerfile: {file: Dockerfile}}\n"
			at := filepath.Join(dir, tc.product)
			for name, content := range map[string]string{"slipway.yaml": text, "Dockerfile": "FROM scratch\n"} {
				if err := os.WriteFile(filepath.Join(at, name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			p, err := Load(t.Context(), Options{Path: filepath.Join(at, "slipway.yaml")})
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Sources[0].Own; got != tc.own {
				t.Errorf("own is %v, want %v", got, tc.own)
			}
		})
	}
}

// TestLinksLeadOut checks that no path in slipway.yaml leads out of its
// repository through a link.
func TestLinksLeadOut(t *testing.T) {
	for _, lines := range []string{
		"sources: [{name: s, directory: out, revision: " +
			"a, created: 2025-01-01T00:00:00Z}]\nimages: [{name: i, source: " +
			"s, dockerfile: {file: Dockerfile}}]",
		"images: [{name: i, source: s, dockerfile: {file: out/Dockerfile}}]",
		"images: [{name: i, source: s, dockerfile: {files: {linux: deep/out/Dockerfile}}}]",
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile, context: out}}]",
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile, context: out/sub}}]",
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile, contexts: {c: out}}}]",
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile}}]\nrelease: {templates: [{path: out}]}",
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile}}]\nrelease: {templates: " +
			"[{source: s, path: out}]}",
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile}}]\nrelease: {templates: " +
			"[{source: o, path: link}]}",
		"images: [{name: i, source: s, dockerfile: {file: Dockerfile}}]\nairgap: {images: out/images.txt}",
		"programs: [{name: p, source: s, package: ./out}]\nimages: [{name: " +
			"i, source: s, dockerfile: {file: Dockerfile}}]",
		"programs: [{name: p, source: s, package: ./deep}]\nimages: [{name: i, source: s, dockerfile: " +
			"{file: Dockerfile}}]\nartifacts: [{name: a, programs: [p], files: {linux: out}}]",
	} {
		top := t.TempDir()
		dir, other := filepath.Join(top, "app"), filepath.Join(top, "other")
		for _, d := range []string{filepath.Join(dir, "deep"), filepath.Join(other, "sub")} {
			if err := os.MkdirAll(d, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		text := "apiVersion: slipway/v1\nname: app\nversion: 1.0.0\nplatforms: [linux/amd64]\n"
		if !strings.HasPrefix(lines, "sources") {
			text += "sources: [{name: s, directory: ., revision: a, created: 2025-01-01T00:00:00Z}, {name: " +
				"o, directory: ../other, revision: a, created: 2025-01-01T00:00:00Z}]\n"
		}
		for name, content := range map[string]string{
			"app/slipway.yaml": text + lines + "\n", "app/Dockerfile": "FROM scratch\n",
			"other/Dockerfile": "FROM scratch\n", "other/images.txt": "",
		} {
			if err := os.WriteFile(filepath.Join(top, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for from, to := range map[string]string{
			"app/out": "../other", "app/deep/out": "../../other",
			"other/link": "/",
		} {
			if err := os.Symlink(to, filepath.Join(top, from)); err != nil {
				t.Fatal(err)
			}
		}
		path := filepath.Join(dir, "slipway.yaml")
		_, err := Load(t.Context(), Options{Path: path})
		if err == nil || strings.Count(err.Error(), "by a symbolic link to") != 1 ||
			!strings.HasPrefix(err.Error(), path+":") {
			t.Errorf("%s\nthe error is %v", lines, err)
		}
	}
}
