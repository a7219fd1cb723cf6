package doctor

import (
	"context"
	"go/version"
	"slices"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/internal/git"
	"github.com/slipway-dev/slipway/product"
)

// toolchain reports the Go toolchain, and the sources that ask for a newer one.
func (e *examination) toolchain(ctx context.Context, f *findings) {
	// RUN go build compiles directories of sources
	inStage := len(e.product.Sources) > 0 && slices.ContainsFunc(e.product.Images,
		func(i product.Image) bool { _, ok := i.Content.(*product.DockerfileImage); return ok })
	unused := !e.Undescribed && len(e.Faults) == 0 &&
		!inStage && !slices.ContainsFunc(e.product.Programs, func(p product.Program) bool { return !p.IsPrebuilt() })
	have, err := source.Version(ctx)
	switch {
	case unused:
		f.ok("not needed: the product has no programs to compile")
		return
	case err != nil:
		f.problem("%v", err)
		return
	}
	settings, err := source.Settings(ctx, "GOTOOLCHAIN")
	if err != nil {
		f.problem("%v", err)
		return
	}
	most := ""
	for _, s := range e.product.Sources {
		if (!inStage || s.Directory == "") && !slices.ContainsFunc(e.product.Programs, func(p product.Program) bool {
			return p.Source == s.Name
		}) {
			continue
		}
		want, err := source.Asks(ctx, s)
		if err != nil {
			f.problem("source %s: %v", s.Name, err)
		}
		if version.Compare(want, most) > 0 {
			most = want
		}
		if version.Compare(want, have) <= 0 {
			continue
		}
		// Third-party sources are compiled by the toolchain that is installed.
		if s.Own && settings[0] != "local" || source.ChoosesToolchain() && settings[0] != "local" {
			f.ok("source %s asks for %s, which the go command downloads", s.Name, want)
		} else {
			f.problem("source %s asks for %s, and %s is installed: "+
				"install a newer Go from https://go.dev/dl, or set GOTOOLCHAIN=auto", s.Name, want, have)
		}
	}
	if most != "" {
		have += ", and the product's go.mod files ask for " + most + " at most"
	}
	f.ok("%s", have)
}

// git reports git, and whether anything needs it.
func (e *examination) git(ctx context.Context, f *findings) {
	v, err := git.Version(ctx)
	switch {
	case err == nil:
		f.ok("%s", v)
	case ctx.Err() != nil || e.asksGit():
		f.problem("%v: install git, which knows the commits of directories", err)
	default:
		f.ok("not in PATH; versions from git and directories without revision need it")
	}
}

// asksGit reports whether a release asks git for something.
func (e *examination) asksGit() bool {
	return e.product.VersionSource.Commit != "" || slices.ContainsFunc(e.product.Sources, func(s product.Source) bool {
		return s.Directory != "" && (s.Revision == "" || s.Created.IsZero())
	})
}
