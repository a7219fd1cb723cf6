package doctor

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/assemble"
	"github.com/slipway-dev/slipway/assemble/builder"
)

// builders tries the builders of Dockerfiles, and each platform that they will be asked for.
func (e *examination) builders(ctx context.Context, f *findings) {
	asked := assemble.Builders(e.product)
	if len(asked) == 0 {
		f.ok("not needed: slipway evaluates all Dockerfiles itself")
		return
	}
	for _, name := range slices.Sorted(maps.Keys(asked)) {
		t, err := builder.Find(ctx, name)
		if err != nil {
			f.problem("%v", err)
			continue
		}
		var on []string
		for _, p := range asked[name] {
			on = append(on, p.String())
		}
		switch err := t.Check(ctx, asked[name]); {
		case errors.Is(err, builder.ErrEmulation):
			f.ok("%s; %v", t.Version, err)
		case err != nil:
			f.problem("%v", err)
		default:
			f.ok("%s builds %s", t.Version, strings.Join(on, ", "))
		}
	}
}
