//go:build mage

package main

import "context"

// Draw draws lines for RUN, and compares what slipway makes of each with what dash, and BuildKit
// for some of them, do.
func Draw(
	ctx context.Context,
	lines *string, // how many that slipway carries out (10000)
	built *string, // how many of these BuildKit builds (500)
	seed *string, // seed of the lines (1)
) error {
	if err := isolate(); err != nil {
		return err
	}
	args := []string{"go", "test", ".", "-run=^TestDrawn$", "-count=1", "-v", "-timeout=0"}
	for _, f := range []struct {
		name, value string
		given       *string
	}{{"lines", "10000", lines}, {"built", "500", built}, {"seed", "1", seed}} {
		if f.given != nil {
			f.value = *f.given
		}
		args = append(args, "-"+f.name+"="+f.value)
	}
	return do(ctx, "test/buildkit", args...)
}
