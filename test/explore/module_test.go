//go:build linux

package explore

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

// The module that sources of products name. The proxy of all walks has it.
const (
	modulePath    = "example.com/drawn-module"
	moduleVersion = "v1.0.0"
	moduleAt      = modulePath + "@" + moduleVersion
)

// moduleSums are the hashes of the module and of its go.mod, as go.sum has them. It puts the module
// into the proxy.
var moduleSums = sync.OnceValues(func() (sum, goMod string) {
	dir := filepath.Join(shared, "module")
	at := filepath.Join(proxy(), filepath.FromSlash(modulePath), "@v")
	text := "module " + modulePath + "\n\ngo 1.24\n"
	files := map[string]string{
		filepath.Join(dir, "go.mod"):            text,
		filepath.Join(dir, "cmd/m/main.go"):     mainText,
		filepath.Join(at, moduleVersion+".mod"): text,
		filepath.Join(at, moduleVersion+".info"): `{"Version":"` + moduleVersion +
			`","Time":"2025-01-01T00:00:00Z"}`,
		filepath.Join(at, "list"): moduleVersion + "\n",
		filepath.Join(dir,
			"config/role.yaml"): "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: of-module\n",
		filepath.Join(dir, "docs/deep/er/readme.txt"): "read\n",
	}
	for path, text := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			panic(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	z := filepath.Join(at, moduleVersion+".zip")
	f, err := os.Create(z)
	if err != nil {
		panic(err)
	}
	if err := modzip.CreateFromDir(f, module.Version{Path: modulePath, Version: moduleVersion}, dir); err != nil {
		panic(err)
	}
	if err := f.Close(); err != nil {
		panic(err)
	}
	if sum, err = dirhash.HashZip(z, dirhash.Hash1); err != nil {
		panic(err)
	}
	goMod, err = dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
		return os.Open(filepath.Join(dir, "go.mod"))
	})
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(sum), strings.TrimSpace(goMod)
})

// proxy is the directory of the module proxy.
func proxy() string { return filepath.Join(shared, "proxy") }
