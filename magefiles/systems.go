//go:build mage

package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// systems are the packages that compile for other operating systems than Linux: on Windows the
// command, and on macOS all, whose tests somebody may run there.
var systems = map[string]string{"windows": "./cmd/slipway", "darwin": "./..."}

// typeCheck reports where packages, their tests and the modules that they import do not compile for
// another operating system. Checking types from source takes ten seconds; go vet would
// compile a thousand packages that nothing else uses. The analyses of go vet add nothing: they
// see the same files on Linux.
func typeCheck(ctx context.Context, goos, pattern string) error {
	fmt.Fprintf(os.Stderr, "→ checking types of %s for %s\n", pattern, goos)
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("finding the standard library: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src") + string(filepath.Separator)
	pkgs, err := packages.Load(&packages.Config{
		Context: ctx,
		Mode: packages.NeedName | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedDeps |
			packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0"),
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			f, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
			if f != nil && strings.HasPrefix(name, library) {
				removeBodies(f)
			}
			return f, err
		},
	}, pattern)
	if err != nil {
		return fmt.Errorf("loading packages for %s: %w", goos, err)
	}
	var errs []error
	packages.Visit(pkgs, nil, func(p *packages.Package) {
		if len(p.CompiledGoFiles) > 0 && strings.HasPrefix(p.CompiledGoFiles[0], library) {
			return // it compiles, but without bodies it does not use its imports
		}
		for _, err := range p.Errors {
			errs = append(errs, fmt.Errorf("%s: %w", goos, err))
		}
	})
	return errors.Join(errs...)
}

// removeBodies removes the bodies of functions.
func removeBodies(f *ast.File) {
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			fn.Body = nil
		}
	}
}
