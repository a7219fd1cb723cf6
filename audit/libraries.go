package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/image/entrypoint"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/outcome"
	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/platform"
)

// everyBase are DLLs that each of Microsoft's bases has, and which nearly every program imports:
// for these alone no base is read.
var everyBase = []string{
	"advapi32.dll", "bcrypt.dll", "bcryptprimitives.dll", "kernel32.dll", "kernelbase.dll", "msvcrt.dll", "ntdll.dll",
	"ucrtbase.dll", "ws2_32.dll",
}

// libraries looks for the shared libraries of the program that an image starts. own are the files
// of its layers, for Windows those above Microsoft's base: whole reads the others, too, which
// happens only if the program needs something of them that not every base has.
func libraries(in *lint.Inside, own *tree.Tree, c *v1.ConfigFile, program string,
	whole func() (*tree.Tree, error),
) error {
	on := platform.From(c.Platform()).Normal()
	l := entrypoint.Libraries{Image: entrypoint.Image{Tree: own, Config: c.Config, On: on}}
	if l.Base = "the image"; whole != nil {
		settled := true
		l.Gone = func(name string) bool {
			settled = settled && slices.Contains(everyBase, strings.ToLower(name))
			return false
		}
		if _, err := l.Check(program); err != nil || settled {
			return err
		}
		all, err := whole()
		if err != nil || all == nil {
			return err
		}
		l.Own, l.Tree = own, all
	}
	l.Known = true
	missing, err := l.Check(program)
	for _, text := range missing {
		f := lint.InsideFault{Rule: "index-library-missing", What: fmt.Sprintf("%.500s", text)}
		in.Faults = append(in.Faults, f)
	}
	return err
}

// whole returns what reads all layers of an image for Windows. Where a base is not at hand, as in
// registries that have no foreign layers, it returns nil, and so it does for one with more than is
// read. What a registry fails to give is an error.
func (d *Deep) whole(ctx context.Context, all []v1.Layer, diffIDs []v1.Hash) func() (*tree.Tree, error) {
	return func() (*tree.Tree, error) {
		t, err := d.layers.ReadLayers(ctx, all, diffIDs, true)
		if err == nil || ctx.Err() != nil {
			return t, ctx.Err()
		}
		if errors.As(err, new(*tree.LimitError)) || slices.ContainsFunc(all, foreign) ||
			outcome.Of(ofLayers(err)) == outcome.Absent {
			return nil, nil //nolint:nilnil // as it is documented
		}
		return nil, err
	}
}

// foreign reports whether registries need not have a layer.
func foreign(l v1.Layer) bool {
	kind, err := l.MediaType()
	return err == nil && !kind.IsDistributable()
}
