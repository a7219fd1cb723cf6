package docs

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"
)

// proxy answers as a Go module proxy does, of the first of some directories that has a file. What
// the last of them lacks, which is the cache of this machine, the go command downloads.
func proxy(dirs ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked := path.Clean(q.URL.Path)
		for range 2 {
			for _, dir := range dirs {
				file := filepath.Join(dir, filepath.FromSlash(asked))
				if path.Base(asked) == "list" {
					if versions := list(filepath.Dir(file)); len(versions) > 0 {
						fmt.Fprintln(w, strings.Join(versions, "\n"))
						return
					}
					continue
				}
				if _, err := os.Stat(file); err == nil {
					http.ServeFile(w, q, file)
					return
				}
				version, ok := strings.CutSuffix(file, ".info")
				if _, err := os.Stat(version + ".mod"); ok && err == nil { // the cache need not have its time
					json.NewEncoder(w).Encode(map[string]string{"Version": filepath.Base(version)}) //nolint:errcheck,errchkjson // a test's answer
					return
				}
			}
			if !download(q, asked) {
				break
			}
		}
		http.NotFound(w, q)
	})
}

// list lists the versions in a directory of a proxy.
func list(dir string) (versions []string) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.mod"))
	for _, f := range files {
		versions = append(versions, strings.TrimSuffix(filepath.Base(f), ".mod"))
	}
	return versions
}

// download gets the module that is asked for into this machine's cache.
func download(q *http.Request, asked string) bool {
	escaped, file, ok := strings.Cut(strings.TrimPrefix(asked, "/"), "/@v/")
	name, err := module.UnescapePath(escaped)
	if !ok || err != nil {
		return false
	}
	version := strings.TrimSuffix(file, path.Ext(file))
	cmd := exec.CommandContext(q.Context(), "go", "mod", "download", name+"@"+version)
	cmd.Dir, cmd.Env = os.TempDir(), append(os.Environ(), "GOFLAGS=-mod=mod")
	return cmd.Run() == nil
}
