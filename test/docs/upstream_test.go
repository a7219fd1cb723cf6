package docs

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	"golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// upstream makes kpack's source a third-party module, as it is in slipway.yaml: its repository is
// at GitHub, and its version at the module proxy.
func upstream(t *testing.T, m *machine) {
	t.Helper()
	dir := filepath.Join(m.dir, "upstream")
	must(t, os.CopyFS(filepath.Join(dir, "cmd"), os.DirFS(filepath.Join(m.dir, "work/kpack/cmd"))))
	gomod, err := os.ReadFile(filepath.Join(m.dir, "work/kpack/go.mod"))
	must(t, err)
	m.file(t, "upstream/go.mod", string(gomod))

	const repository, created = "buildpacks-community/kpack", "2025-01-16T21:57:50Z"
	bare := filepath.Join(m.dir, "github", repository)
	git := func(args ...string) string {
		return testprog.Run(t, "env", append([]string{"GIT_COMMITTER_DATE=" + created, "git", "-C", dir}, args...)...)
	}
	git("init", "-q")
	git("add", ".")
	git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "0.16.1", "--date="+created)
	git("tag", "v0.16.1")
	git("clone", "-q", "--bare", ".", bare)
	git("-C", bare, "update-server-info")

	v := module.Version{Path: "example.com/kpack", Version: "v0.16.1"}
	at := filepath.Join("proxy", v.Path, "@v")
	info, err := json.Marshal(map[string]string{"Version": v.Version, "Time": created})
	must(t, err)
	m.file(t, filepath.Join(at, v.Version+".info"), string(info))
	m.file(t, filepath.Join(at, v.Version+".mod"), string(gomod))
	archive := filepath.Join(m.dir, at, v.Version+".zip")
	out, err := os.Create(archive)
	must(t, err)
	must(t, zip.CreateFromDir(out, v, dir))
	must(t, out.Close())
	sum, err := dirhash.HashZip(archive, dirhash.Hash1)
	must(t, err)
	modSum, err := dirhash.Hash1([]string{"go.mod"}, func(string) (f io.ReadCloser, err error) {
		return os.Open(filepath.Join(dir, "go.mod"))
	})
	must(t, err)

	product := filepath.Join(m.dir, "work/kpack/slipway.yaml")
	text, err := os.ReadFile(product)
	must(t, err)
	source := `
- name: kpack
  module: example.com/kpack@v0.16.1
  sum: ` + sum + `
  goModSum: ` + modSum + `
  revision: ` + strings.TrimSpace(git("rev-parse", "HEAD")) + `
  created: ` + created + `
  url: https://github.com/` + repository
	must(t, os.WriteFile(product, []byte(strings.Replace(string(text), "\n- {name: kpack, directory: .}", source, 1)),
		0o644))
	must(t, os.RemoveAll(filepath.Join(m.dir, "work/kpack/cmd")))
	must(t, os.Remove(filepath.Join(m.dir, "work/kpack/go.mod")))
}
