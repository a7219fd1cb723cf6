package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

// clone makes work/slipway of the files of this repository, and version 1.0.0 of its module.
func clone(t *testing.T, m *machine) {
	t.Helper()
	root, err := filepath.Abs("../..")
	must(t, err)
	for _, f := range strings.Split(testprog.Run(t, "git", "-C", root, "ls-files", "-z", "--cached",
		"--others", "--exclude-standard"), "\x00") {
		from := filepath.Join(root, f)
		fi, err := os.Lstat(from)
		if f == "" || err != nil || !fi.Mode().IsRegular() {
			continue
		}
		text, err := os.ReadFile(from)
		must(t, err)
		m.file(t, filepath.Join("work/slipway", f), string(text))
		must(t, os.Chmod(filepath.Join(m.dir, "work/slipway", f), fi.Mode().Perm()))
	}
	v := module.Version{Path: "github.com/slipway-dev/slipway", Version: "v1.0.0"}
	at := filepath.Join("proxy", v.Path, "@v")
	info, err := json.Marshal(map[string]string{"Version": v.Version})
	must(t, err)
	gomod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	must(t, err)
	m.file(t, filepath.Join(at, v.Version+".info"), string(info))
	m.file(t, filepath.Join(at, v.Version+".mod"), string(gomod))
	out, err := os.Create(filepath.Join(m.dir, at, v.Version+".zip"))
	must(t, err)
	defer out.Close()
	must(t, zip.CreateFromDir(out, v, filepath.Join(m.dir, "work/slipway")))
}
