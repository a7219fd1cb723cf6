package assemble_test

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/slipway-dev/slipway/assemble/built"
	"github.com/slipway-dev/slipway/internal/testing/storetest"
	"github.com/slipway-dev/slipway/store"
)

const modesProduct = `apiVersion: slipway/v1
name: modes
version: 1.0.0
platforms: [linux/amd64]
sources: [{name: here, directory: .}]
images:
  - name: modes
    source: here
    dockerfile: {file: Dockerfile, context: ctx, contexts: {near: ../near, far: ../../far}}
`

// TestModes builds clones that were made with three umasks. The contexts are in the product's
// repository, below the product and beside it, and in another one.
func TestModes(t *testing.T) {
	gitConfig(t)
	repo := repositoryOf(t, map[string]string{
		"app/slipway.yaml": modesProduct, "app/ctx/a": "a", "app/ctx/dir/b": "b", "app/ctx/run": "#!/bin/sh\n",
		"near/c": "c", "near/.dockerignore": "none\n",
		"app/Dockerfile": "FROM scratch\nCOPY . /ctx/\nCOPY --from=near . /near/\nCOPY --from=far . /far/\n" +
			"COPY --chmod=640 a /chmod\nADD dir /dir/\nRUN --mount=type=bind,target=/src mkdir " +
			"/copied && cp -p /src/a /src/run /copied/ && cp -rp /src/dir /copied/\n",
	})
	must(t, os.Chmod(filepath.Join(repo, "app/ctx/run"), 0o755))
	gitIn(t, repo, "commit", "-q", "-a", "-m", "second")
	far := repositoryOf(t, map[string]string{"sub/d": "d"})

	var first *built.Result
	for _, umask := range []string{"022", "077", "002"} {
		dir := t.TempDir()
		out, err := exec.Command("sh",
			"-c", `umask $1 && cd "$2" && git clone -q "$3" product && git clone -q "$4" far`, "sh",
			umask, dir, repo, far).CombinedOutput()
		if err != nil {
			t.Fatalf("git clone: %v\n%s", err, out)
		}
		write(t, filepath.Join(dir, "product/app/ctx"), map[string]string{"new/file": "", "dir/new": ""})
		must(t, os.Chmod(filepath.Join(dir, "product/app/ctx/new"), 0o710))
		must(t, os.Chmod(filepath.Join(dir, "product/app/ctx/new/file"), 0o666))
		must(t, os.Chmod(filepath.Join(dir, "product/app/ctx/dir/new"), 0o601))

		st := storetest.Open(t)
		r := result(t, loadApp(t, filepath.Join(dir, "product")), st)
		if first == nil {
			first = r
		} else if d := cmp.Diff(first, r); d != "" {
			t.Errorf("umask %s gives another release (-022 +%s):\n%s", umask, umask, d)
		}
		got := tarModes(t, st, r)
		for _, want := range []string{
			"644 ctx/a", "755 ctx/dir/", "644 ctx/dir/b", "755 ctx/run", "644 near/c", "755 far/sub/",
			"644 far/sub/d", "640 chmod", "644 dir/b",
			"644 copied/a", "755 copied/run", "755 copied/dir/", "644 copied/dir/b",
			"710 ctx/new/", "666 ctx/new/file", "601 ctx/dir/new", "601 dir/new", "601 copied/dir/new",
		} {
			if !slices.Contains(got, want) {
				t.Errorf("umask %s: the files are %q, without %s", umask, got, want)
			}
		}
	}
}

// tarModes lists the layers of the only image.
func tarModes(t *testing.T, st *store.Store, r *built.Result) (all []string) {
	t.Helper()
	img, err := st.Image(r.Images[0].Children[0].Digest)
	must(t, err)
	list, err := img.Layers()
	must(t, err)
	for _, l := range list {
		f, err := l.Uncompressed()
		must(t, err)
		for files := tar.NewReader(f); ; {
			h, err := files.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			must(t, err)
			all = append(all, fmt.Sprintf("%o %s", h.Mode, strings.TrimPrefix(h.Name, "/")))
		}
		must(t, f.Close())
	}
	return all
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
