package release

import (
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/lint"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/product/pin"
)

// JudgePins checks the images that are pinned by the rules of package lint, as a release does (see
// [lint.Bundled]), and against the images that they replace. The error has a line for each finding
// of severity error; r gets the others as warnings.
func JudgePins(p *product.Product, r *pin.Result) error {
	o := lint.IndexOptions{Allow: lint.AllowIndexes(p.Lint.Allow), Partial: true}
	var all []lint.Index
	for _, one := range r.Replaced {
		i := lint.NewIndex(one.Change.To, one.After, one.Configs)
		i.Scope, i.Nodes, i.NodesChecked, i.Pos = lint.Bundled, p.Platforms, true, one.Pos
		i.InManifest = strings.HasSuffix(one.Pos.File, ".yaml") || strings.HasSuffix(one.Pos.File, ".yml")
		if one.Before != nil {
			before := lint.NewIndex(one.Change.From, one.Before, nil)
			i.Before = &before
		}
		all = append(all, i)
	}
	report := lint.CheckIndexes(all, o)
	for _, f := range report.Others() {
		r.Warnings = append(r.Warnings, f.String())
	}
	if err := report.Broken(); err != nil {
		return fmt.Errorf("images break rules, and nothing is pinned: wait for another version of them, or allow "+
			"intended findings under lint.allow in %s:\n%w", p.Path, err)
	}
	return nil
}
