package program

import (
	"errors"
	"fmt"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Check reports, without the go command, why a program cannot be compiled: its package is not in
// the source, has no Go files for the platform, or is not a main package, or it takes a C compiler
// that is not installed. Flags that a third-party release may not have are errors, too.
func (p Program) Check() error {
	if err := p.checkConfined(); err != nil {
		return err
	}
	err := p.checkCompiler()
	if err == nil {
		err = p.checkPackage()
	}
	if err != nil {
		return fmt.Errorf("program %s: %w", p.Name, err)
	}
	return nil
}

// checkConfined reports what the flags and variables of a program could do to this machine, if its
// source may not: those of a third-party release. Whether they are from slipway.yaml, a .ko.yaml
// or a Dockerfile does not matter.
func (p Program) checkConfined() error {
	if !p.Tree.Source.Confined {
		return nil
	}
	var errs []error
	for _, l := range []struct {
		field string
		list  []string
		check func([]string) []refusal
	}{{"env", p.Env, refusedVariables}, {"flags", p.Flags, refusedFlags}, {"ldflags", p.Ldflags, refusedLdflags}} {
		for _, r := range l.check(l.list) {
			errs = append(errs,
				fmt.Errorf("program %s: the release has %.200q under %s, which may run commands on this machine: "+
					"%s: read its slipway.yaml, and name -allow-commands if you trust it", p.Name,
					l.list[r.at], l.field, r.why))
		}
	}
	return errors.Join(errs...)
}

// checkPackage reports a package that is missing, or is not a command for the platform.
func (p Program) checkPackage() error {
	dir := filepath.Join(p.Tree.Dir, filepath.FromSlash(p.Package))
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("source %s has no package %s: correct package", p.Tree.Source.Name, p.Package)
	}
	if err != nil {
		return fmt.Errorf("reading package %s: %w", p.Package, err)
	}
	names := map[string]string{} // of packages, and a file of each
	seen, here := false, false
	of := p.context()
	for _, f := range files {
		if f.IsDir() || filepath.Ext(f.Name()) != ".go" || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		seen = true
		if ok, err := of.MatchFile(dir, f.Name()); err != nil || !ok {
			here = here || err != nil // the compiler reports the error
			continue
		}
		here = true
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, f.Name()), nil, parser.PackageClauseOnly)
		if err != nil {
			return nil //nolint:nilerr // as above
		}
		names[parsed.Name.Name] = f.Name()
	}
	switch {
	case !seen:
		return fmt.Errorf("directory %s of source %s has no Go files: correct package", p.Package, p.Tree.Source.Name)
	case !here && !p.tagged():
		return fmt.Errorf("package %s of source %s has no Go files for %s: "+
			"name the operating systems that it is for under os", p.Package, p.Tree.Source.Name, p.System())
	case len(names) == 1 && names["main"] == "":
		for name, file := range names {
			return fmt.Errorf("%s is package %s, not main: name the directory of a command", filepath.Join(dir, file),
				name)
		}
	}
	return nil
}

// context decides which files the go command takes. Which release of Go it is is left open.
func (p Program) context() build.Context {
	c := build.Default
	c.GOOS, c.GOARCH, c.Compiler, c.BuildTags, c.ToolTags = p.Platform.OS, p.Platform.Architecture, "gc", nil, nil
	c.CgoEnabled = p.IsCGO()
	c.ReleaseTags = nil
	for n := 1; n < 100; n++ {
		c.ReleaseTags = append(c.ReleaseTags, fmt.Sprintf("go1.%d", n))
	}
	return c
}

// tagged reports whether flags may name build tags, which decide about files, too.
func (p Program) tagged() bool {
	return slices.ContainsFunc(slices.Concat(p.Flags, p.Env), func(s string) bool {
		return strings.Contains(s, "-tags") || strings.HasPrefix(s, "GOEXPERIMENT=")
	})
}
