package repository

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// reserved are the identifiers that open connections or find credentials, by import path. Packages
// other than internal/network may only use those in the list; a nil list forbids the import.
var reserved = map[string][]string{
	"github.com/google/go-containerregistry/pkg/v1/remote": {"Descriptor", "MountableLayer", "Taggable"},
	"github.com/google/go-containerregistry/pkg/authn":     nil,
	"github.com/google/go-containerregistry/pkg/crane":     nil,
	"github.com/google/go-containerregistry/pkg/v1/google": nil,
	"github.com/docker/docker-credential-helpers/client":   nil,
}

// client are the identifiers of net and net/http that make a client.
var client = map[string][]string{
	"net/http": {"DefaultTransport", "DefaultClient", "Client", "Transport", "Get", "Head", "Post", "PostForm"},
	"net":      {"Dial", "DialTimeout", "Dialer"},
}

// TestOneWayToTheNetwork checks that every request of the product goes through internal/network,
// which has the rules for TLS, credentials, retries, stalls and sizes.
func TestOneWayToTheNetwork(t *testing.T) {
	for dir := range packages(t) {
		if dir == "internal/network" {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				for _, found := range uses(t, file, connects) {
					t.Errorf("%s: use internal/network, so that its rules hold", found)
				}
			}
		}
	}
}

// connects reports whether an identifier of a package is reserved for internal/network.
func connects(pkg, name string) bool {
	allowed, guarded := reserved[pkg]
	return guarded && !slices.Contains(allowed, name) || slices.Contains(client[pkg], name)
}

// uses lists where a file uses an identifier of another package for which is is true.
func uses(t *testing.T, file string, is func(pkg, name string) bool) (found []string) {
	t.Helper()
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string]string{} // by the name that the file uses
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Base(p)
		if i.Name != nil {
			name = i.Name.Name
		}
		imports[name] = p
	}
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		x, ok := s.X.(*ast.Ident)
		if !ok {
			return true
		}
		if is(imports[x.Name], s.Sel.Name) {
			found = append(found, set.Position(s.Pos()).String()+": "+x.Name+"."+s.Sel.Name)
		}
		return true
	})
	return found
}
