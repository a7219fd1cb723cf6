package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/audit"
	"github.com/slipway-dev/slipway/internal/imagetag"
	"github.com/slipway-dev/slipway/internal/output"
	"github.com/slipway-dev/slipway/lint"
)

// fix mends the index of an image, instead of judging it.
func (a *auditing) fix(cmd *cobra.Command, reader audit.Reader, args []string) error {
	switch {
	case len(args) != 1:
		return misuse(cmd, "-fix mends one image: name one")
	case a.deep:
		return misuse(cmd, "-fix reads no layers: leave -deep out")
	case a.sarif:
		return misuse(cmd, "-sarif prints findings: leave it out with -fix")
	case a.to == "" && !a.dryRun:
		return misuse(cmd, "-fix needs -to=REPOSITORY[:TAG], where the mended index goes, or -dry-run")
	}
	if err := idle(cmd, "with -fix", "since", "case", "fail", "nodes", "platform", "values"); err != nil {
		return err
	}
	if err := imagetag.CheckRule(a.flags.floating); err != nil {
		return misuse(cmd, "%v", err)
	}
	f := audit.Fix{
		DryRun: a.dryRun, Move: a.flags.floating == imagetag.RuleMove, Judge: lint.IndexOptions{Now: time.Now()},
	}
	if a.allow != "" {
		var err error
		if f.Judge.Allow, err = lint.ReadIndexAllow(a.allow); err != nil {
			return err
		}
	}
	if a.to != "" {
		to, err := name.NewTag(a.to, name.WithDefaultTag(""))
		if err != nil || strings.Contains(a.to, "@") {
			return misuse(cmd, "-to=%s: write REPOSITORY or REPOSITORY:TAG", a.to)
		}
		f.To, f.Tag = to.Context(), to.TagStr()
	}
	done, err := reader.Fix(cmd.Context(), args[0], f)
	if err != nil {
		return err
	}
	return a.flags.show(cmd, fixed(done))
}

// fixed is what came of a fix, for a person.
type fixed audit.Fixed

// WriteTable writes what differs, and where it went.
func (d fixed) WriteTable(w io.Writer) error {
	lines := slices.Clone(d.Changes)
	switch {
	case len(d.Changes) == 0:
		lines = append(lines, fmt.Sprintf("Nothing to mend: %s", d.Before))
	case d.To == "":
		lines = append(lines, fmt.Sprintf("%s would become %s", d.Before, d.After))
	default:
		lines = append(lines, fmt.Sprintf("%s is mended as %s: %s", d.Before, d.After, d.To))
	}
	if len(d.Orphans) > 0 && len(d.Changes) > 0 {
		lines = append(lines, "About the index before, and not about this one: "+strings.Join(d.Orphans, ", "))
	}
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, output.Line(l)); err != nil {
			return err
		}
	}
	return nil
}
