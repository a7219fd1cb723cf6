package reproduce

import (
	"cmp"
	"context"
	"fmt"
	"go/version"
	"os"
	"runtime/debug"
	"strings"

	"github.com/slipway-dev/slipway/compile/source"
	"github.com/slipway-dev/slipway/evidence/provenance"
	"github.com/slipway-dev/slipway/internal/lazyregexp"
)

// released are versions of Go. The go command looks for others, such as go1.26-name, in PATH.
var released = lazyregexp.New(`^go1\.[0-9]+(\.[0-9]+|(beta|rc)[0-9]+)?$`)

// oldestGo is the oldest series of Go that gets fixes of security, since there is the series of
// go.mod: the go command and the compiler of an older one have known holes, and they read what
// strangers wrote (https://go.dev/doc/devel/release#policy).
const oldestGo = "go1.25"

// checkGo refuses a toolchain that a statement names and that gets no more fixes, unless the user
// allows it.
func checkGo(wanted string, old bool) error {
	if old || version.Compare(wanted, oldestGo+".0") >= 0 {
		return nil
	}
	return fmt.Errorf("the release was compiled by %s, and Go has no more security fixes for versions before "+
		"%s: if you trust its maintainer, run it here with -old-go, or set GOTOOLCHAIN to see the differences",
		wanted, oldestGo)
}

// compareTools notes tools that differ from those of the release: before the work, because they
// explain most differences. With old, a toolchain may run that gets no more fixes.
func (r *Report) compareTools(ctx context.Context, s *provenance.Statement, old bool) error {
	info, _ := debug.ReadBuildInfo()
	chosen := source.ChoosesToolchain()
	for _, d := range s.Predicate.BuildDefinition.ResolvedDependencies {
		switch d.Annotations.Kind {
		case provenance.KindToolchain:
			wanted := d.GoVersion()
			if !released.MatchString(wanted) {
				return fmt.Errorf("the statement names the Go toolchain %.100q, "+
					"which is not a release of Go: slipway did not make the statement", d.URI)
			}
			here, err := source.Version(ctx)
			if err != nil {
				return err
			}
			if err := checkGo(wanted, old || chosen || here == wanted); err != nil {
				return err
			}
			if !chosen { // a go.mod of the release does not choose one, either
				if err := os.Setenv("GOTOOLCHAIN", wanted); err != nil {
					return err
				}
				if here, err = source.Version(ctx); err != nil {
					return fmt.Errorf("the release was compiled by %s, and the go command cannot get that: "+
						"install it, or set GOTOOLCHAIN to another one to see what differs: %w", wanted, err)
				}
			}
			if here != wanted {
				r.Notes = append(r.Notes,
					fmt.Sprintf("the release was compiled by %s, and GOTOOLCHAIN chooses %s here: programs will differ",
						wanted, here))
			}
			if d.Annotations.Local {
				r.Notes = append(r.Notes,
					fmt.Sprintf("%s was installed on the machine that made the release: "+
						"that it was not changed shows only if programs are the same", wanted))
			}
		case provenance.KindSlipway:
			_, wanted, _ := strings.Cut(d.URI, "@")
			here := ""
			if info != nil && info.Main.Sum != "" {
				here = info.Main.Version
			}
			switch {
			case d.Annotations.Local:
				r.Notes = append(r.Notes,
					"the release was made by a slipway without a released version: another one may give other bytes")
			case here != wanted:
				r.Notes = append(r.Notes,
					fmt.Sprintf("the release was made by slipway %s, and this is %s: "+
						"run go install github.com/slipway-dev/slipway/cmd/slipway@%s if anything differs",
						wanted, cmp.Or(here, "no released version"), wanted))
			}
		}
	}
	return nil
}
