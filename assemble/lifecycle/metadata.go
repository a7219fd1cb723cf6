package lifecycle

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/slipway-dev/slipway/internal/regular"
)

// Metadata is the label io.buildpacks.lifecycle.metadata, as kpack's pkg/cnb.LifecycleMetadata
// reads it.
type Metadata struct {
	Version string `json:"version"`
	API     API    `json:"api"`
	APIs    APIs   `json:"apis"`
}

// API has the oldest API versions, for readers that know only one of each
// (https://github.com/buildpacks/rfcs/blob/main/text/0011-lifecycle-descriptor.md).
type API struct {
	Buildpack string `json:"buildpack"`
	Platform  string `json:"platform"`
}

// APIs has the versions of the Buildpack API and the Platform API that the lifecycle supports.
type APIs struct {
	Buildpack Versions `json:"buildpack"`
	Platform  Versions `json:"platform"`
}

// Versions are API versions such as "0.12". Deprecated ones are among the supported.
type Versions struct {
	Deprecated []string `json:"deprecated"`
	Supported  []string `json:"supported"`
}

// ReadMetadata gathers what the lifecycle's own packager would write into lifecycle.toml, without
// running it: the API lists are in api/apis.go, the oldest versions in lifecycle.toml. dir is
// the lifecycle's module.
func ReadMetadata(dir, version string) (Metadata, error) {
	m := Metadata{Version: version}
	file := filepath.Join(dir, "api", "apis.go")
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return Metadata{}, fmt.Errorf("reading the lifecycle's APIs: %w", err)
	}
	if m.APIs.Buildpack, err = versions(f, "Buildpack"); err == nil {
		m.APIs.Platform, err = versions(f, "Platform")
	}
	if err != nil {
		return Metadata{}, fmt.Errorf("reading the lifecycle's APIs: %s: %w", file, err)
	}
	toml, err := regular.Read(filepath.Join(dir, "lifecycle.toml"))
	if err != nil {
		return Metadata{}, fmt.Errorf("reading the lifecycle's APIs: %w", err)
	}
	section := regexp.MustCompile(`(?m)^\[api\]\s+platform = "([0-9.]+)"\s+buildpack = "([0-9.]+)"`).FindSubmatch(toml)
	if section == nil {
		return Metadata{}, fmt.Errorf("reading the lifecycle's APIs: "+
			"%s has no [api] section with platform and buildpack", filepath.Join(dir, "lifecycle.toml"))
	}
	m.API = API{Platform: string(section[1]), Buildpack: string(section[2])}
	return m, nil
}

// versions finds "NAME = newApisMustParse([]string{supported…}, []string{deprecated…})".
func versions(f *ast.File, name string) (Versions, error) {
	var lists [][]string
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Names) != 1 || v.Names[0].Name != name || len(v.Values) != 1 {
			return true
		}
		call, ok := v.Values[0].(*ast.CallExpr)
		if !ok {
			return false
		}
		for _, arg := range call.Args {
			lit, ok := arg.(*ast.CompositeLit)
			if !ok {
				return false
			}
			list, ok := literals(lit.Elts)
			if !ok {
				return false
			}
			lists = append(lists, list)
		}
		return false
	})
	if len(lists) != 2 || len(lists[0]) == 0 {
		return Versions{}, fmt.Errorf("it does not list the %s API versions as lifecycle 0.20 does: "+
			"this slipway knows no other form", name)
	}
	return Versions{Supported: lists[0], Deprecated: lists[1]}, nil
}

// literals returns the values of string literals; anything else among them is not understood.
func literals(exprs []ast.Expr) ([]string, bool) {
	list := []string{}
	for _, e := range exprs {
		b, ok := e.(*ast.BasicLit)
		if !ok || b.Kind != token.STRING {
			return nil, false
		}
		s, err := strconv.Unquote(b.Value)
		if err != nil {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}
