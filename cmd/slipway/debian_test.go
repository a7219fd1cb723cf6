package main

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/slipway-dev/slipway/internal/testing/debtest"
	"github.com/slipway-dev/slipway/platform"
)

// repositories is the key of the repositories of a script, by variable.
const repositories = "repositories"

// debianRepository VARIABLE [FILE [ARCH,… [WRONG[=WHAT]…]]] starts a repository of Debian packages
// until the script ends, and sets a variable to its address. FILE describes its packages, as
// debtest.Describe reads them. A second call with the variable replaces what the repository has.
func debianRepository(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: debian variable file [arch,… [wrong[=what]…]]")
	}
	known := ts.Value(repositories).(*sync.Map)
	r, ok := known.Load(args[0])
	if !ok {
		made := debtest.Serve()
		ts.Defer(made.Close)
		known.Store(args[0], made)
		ts.Setenv(args[0], made.URL)
		r = made
	}
	text, err := os.ReadFile(ts.MkAbs(args[1]))
	ts.Check(err)
	arches := []string{"amd64"}
	if len(args) > 2 {
		arches = strings.Split(args[2], ",")
	}
	var w debtest.Wrong
	for _, word := range args[min(3, len(args)):] {
		key, value, _ := strings.Cut(word, "=")
		switch key {
		case "expired":
			w.Expired = true
		case "unsigned":
			w.Unsigned = true
		case "otherkey":
			w.OtherKey = true
		case "detached":
			w.Detached = true
		case "older":
			w.Older = true
		case "index":
			w.Index = true
		case "damaged":
			w.Damaged = value
		case "missing":
			w.Missing = value
		case "moved":
			w.Moved = value
		case "login":
			w.Login = value
		case "flat":
			w.Flat = true
		case "stalls":
			w.Stalls = value
		default:
			ts.Fatalf("a repository cannot be %s", key)
		}
	}
	r.(*debtest.Repository).Publish(string(text), arches, w)
}

// debFiles FILE DIRECTORY writes the packages that a file describes.
func debFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: debfiles file directory")
	}
	text, err := os.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	for _, d := range debtest.Describe(string(text), []string{"amd64"}) {
		ts.Check(os.WriteFile(ts.MkAbs(args[1]+"/"+d.Name()), d.Deb(), 0o644))
	}
}

// debKey VARIABLE FILE writes the key of a repository with ASCII armor.
func debKey(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: debkey variable file")
	}
	r, ok := ts.Value(repositories).(*sync.Map).Load(args[0])
	if !ok {
		ts.Fatalf("there is no repository %s", args[0])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(r.(*debtest.Repository).ArmoredKey()), 0o644))
}

// debianBase REFERENCE VARIABLE [PLATFORM…] pushes a small image of Debian that takes packages from
// a repository.
func debianBase(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: debianbase reference variable [platform…]")
	}
	r, ok := ts.Value(repositories).(*sync.Map).Load(args[1])
	if !ok {
		ts.Fatalf("there is no repository %s", args[1])
	}
	words := args[2:]
	if len(words) == 0 {
		words = []string{"linux/amd64"}
	}
	var platforms []platform.Platform
	for _, word := range words {
		p, err := platform.Parse(word)
		ts.Check(err)
		platforms = append(platforms, p)
	}
	ref, err := name.ParseReference(args[0])
	ts.Check(err)
	ts.Check(remote.WriteIndex(ref, debtest.Base(r.(*debtest.Repository), platforms)))
}

// imageFiles REFERENCE DIRECTORY writes the regular files of an image for linux/amd64.
func imageFiles(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: imagefiles reference directory")
	}
	ref, err := name.ParseReference(args[0])
	ts.Check(err)
	img, err := remote.Image(ref, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: "amd64"}))
	ts.Check(err)
	files := mutate.Extract(img)
	defer files.Close()
	dir := ts.MkAbs(args[1])
	for all := tar.NewReader(files); ; {
		h, err := all.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		ts.Check(err)
		if h.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(all)
		ts.Check(err)
		to := filepath.Join(dir, filepath.FromSlash(path.Clean("/"+h.Name)))
		ts.Check(os.MkdirAll(filepath.Dir(to), 0o755))
		ts.Check(os.WriteFile(to, text, 0o644))
	}
}
