package product

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRevision puts the commit of a directory into the names of an image.
func TestRevision(t *testing.T) {
	const text = `apiVersion: slipway/v1
name: demo
version: 1.2.3
platforms: [linux/amd64]
sources:
  - {name: src, directory: DIR}
images:
  - {name: demo, source: src, tags: ["{{.Version}}", "git-{{slice .Revision 0 7}}"], floatingTags: ["{{.Revision}}"], dockerfile: {file: Dockerfile}}
charts:
  - {name: demo, source: src, path: chart, tags: ["{{.Version}}", "git-{{slice .Revision 0 7}}"]}
`
	for name, tc := range map[string]struct {
		do       func(r repo)
		dir      string
		registry string
		want     string // the second tag; HASH is the commit's
		err      string
	}{
		"committed": {do: func(r repo) {
			r.commit()
		}, dir: ".", registry: "registry.example", want: "git-HASH"},
		"a directory of it": {
			do: func(r repo) { r.write("sub/a", "a"); r.commit() }, dir: "sub",
			registry: "registry.example", want: "git-HASH",
		},
		"changed, in a snapshot": {do: func(r repo) { r.commit(); r.write("a", "a") }, dir: ".", want: "git-HASH"},
		"changed": {
			do: func(r repo) { r.commit(); r.write("a", "a") }, dir: ".",
			registry: "registry.example",
			err:      `slipway.yaml:8:54: image demo: git-{{slice .Revision 0 7}} needs the commit of the image's source, which does not have all of it (a): commit the directory to git, or give the source a revision`,
		},
		"changed elsewhere": {
			do:  func(r repo) { r.write("sub/a", "a"); r.commit(); r.write("a", "a") },
			dir: "sub", registry: "registry.example", want: "git-HASH",
		},
		"no commit": {
			do: func(repo) {}, dir: ".",
			err: `slipway.yaml:8:54: image demo: git-{{slice .Revision 0 7}} needs the commit of the image's source, which is not known: `,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRepo(t)
			r.write("slipway.yaml", strings.Replace(text, "DIR", tc.dir, 1))
			r.write("chart/Chart.yaml", "")
			r.write("sub/chart/Chart.yaml", "")
			tc.do(r)
			var registries []string
			if tc.registry != "" {
				registries = []string{tc.registry}
			}
			p, err := Load(t.Context(), Options{Path: filepath.Join(r.dir, "slipway.yaml"), Registries: registries})
			if tc.err != "" {
				if err == nil || !strings.Contains(err.Error(), tc.err) {
					t.Errorf("got %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			hash := r.git("rev-parse", "HEAD")
			if got, want := p.Images[0].Tags[1], strings.Replace(tc.want, "HASH", hash[:7], 1); got != want {
				t.Errorf("the tag is %s, want %s", got, want)
			}
			if got, want := p.Charts[0].Tags[1], strings.Replace(tc.want, "HASH", hash[:7], 1); got != want {
				t.Errorf("the chart's tag is %s, want %s", got, want)
			}
			dirty := map[bool]string{true: "-dirty"}[strings.HasPrefix(name, "changed, in")]
			if got := p.Images[0].FloatingTags[0]; got != hash+dirty {
				t.Errorf("the floating tag is %s, want %s%s", got, hash, dirty)
			}
		})
	}
}
