package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/compile/times"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/release"
	"github.com/slipway-dev/slipway/shard"
)

func newPlan(f *flags) *cobra.Command {
	var d division
	return add(&cobra.Command{
		Use:   "plan",
		Short: "Print what a release would do, without doing any of it",
		Long: `Plan prints what a release with the same flags would do: the bases of every image and
platform, every name at every registry and whether it is new, exists, moves or would be
refused, what has to be compiled and what changed since the release in the output directory,
the files, and where the credentials for each registry come from.

Plan checks as check does, reads the store and asks the registries. Nothing is built, and nothing
is written to the disk or a registry, except by -o and -push. Plan downloads Go modules that are
not in the module cache, and does not wait for a running release. The exit code is 1 if the
release could not go, with an error for each reason.

With -shards, plan divides the release among that many machines and prints that plan, as a table
or with -json. With -o, plan writes it to a file for "slipway release -plan", which does not count
as a change of the work tree. Weights are the times of compilers and linkers in an earlier
release, from release.weights.json, or else the number of packages. See docs/shards.md.

With -push as well, plan puts the plan and everything that slipway.yaml names into the registry,
for machines without a clone, and prints the reference for "slipway release -plan" and "slipway
shard kubernetes". See docs/kubernetes.md.`,
		Example: `  slipway plan
  slipway plan -registry=ghcr.io/me -json
  slipway plan -registry=ghcr.io/me -shards=3 -o plan.json
  slipway plan -registry=ghcr.io/me -shards=3 -push`,
		RunE: f.prints(func(cmd *cobra.Command, _ []string) (table, error) {
			if err := d.check(); err != nil {
				return nil, err
			}
			if d.file == "-" {
				if err := idle(cmd, "with -o=-, which prints the plan: leave it out", "push", "json"); err != nil {
					return nil, err
				}
			} else if d.file != "" {
				f.made = append(f.made, d.file)
			}
			f.looks = !cmd.Flags().Changed("shards")
			p, err := f.load(cmd.Context())
			if err != nil {
				return nil, err
			}
			o := release.Options{Out: f.out, Store: f.storeDir()}
			if cmd.Flags().Changed("shards") {
				return f.divide(cmd, p, o, d)
			}
			o.Progress = f.printer(cmd)
			plan, err := release.MakePlan(cmd.Context(), p, o)
			if err != nil {
				return nil, err
			}
			return verdict{plan, plan.Err()}, nil
		}),
	}, f.addProduct, f.addFloating, f.addSelection, f.addJSON, d.add)
}

// division says how a release is divided, and where the plan of that goes.
type division struct {
	shards        int
	weights, file string
	push          bool
}

func (d *division) add(cmd *cobra.Command) {
	cmd.Flags().IntVar(&d.shards, "shards", 0, "divide the release among at most that many machines")
	fileFlag(cmd, &d.weights,
		"weights", "", "how long compilers took (default release.weights.json of the store, if it is there)", "json")
	fileToWrite(cmd, &d.file, "", ": the plan of -shards, for slipway release -plan"+printable, "json")
	cmd.Flags().BoolVar(&d.push, "push",
		false, "put into the registry: the plan of -shards with all that slipway.yaml names; prints its reference")
	needs(cmd, "shards", "push", "output", "weights")
	cmd.MarkFlagsMutuallyExclusive("push", "json")
	cmd.MarkFlagsMutuallyExclusive("shards", "platforms")
	cmd.MarkFlagsMutuallyExclusive("shards", "images")
}

func (d *division) check() error {
	_, err := os.Lstat(d.file)
	if d.file != "" && d.file != "-" && err == nil && !shard.IsPlan(d.file) {
		return fmt.Errorf("-o=%s: the file already exists, and is not a plan of shards: name another", d.file)
	}
	return nil
}

// divide makes a plan of at most n shards, and writes it to a file or the registry, if that is
// asked for.
func (f *flags) divide(cmd *cobra.Command, p *product.Product, o release.Options, d division) (table, error) {
	if d.shards < 1 {
		return nil, howto.Usage("-shards=%d: name the number of machines, 1 or more", d.shards)
	}
	w, err := times.Read(cmp.Or(d.weights, filepath.Join(f.storeDir(), times.FileName)), d.weights != "")
	if err != nil {
		return nil, err
	}
	o.Progress = f.printer(cmd)
	plan, err := release.Divide(cmd.Context(), p, o, d.shards, w)
	o.Progress.Close()
	if err != nil {
		return nil, err
	}
	if have := len(plan.Shards); have < d.shards {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%d of %d shards: more would not be faster, because they would compile the same packages\n", have, d.shards)
	}
	if d.file != "" {
		text, err := plan.Encode()
		switch {
		case err == nil && d.file == "-":
			_, err = cmd.OutOrStdout().Write(text)
			return nil, err
		case err == nil:
			err = disk.WriteAlone(cmd.Context(), d.file, text, disk.ModeFile, saying(cmd))
		}
		if err != nil {
			return nil, fmt.Errorf("writing the plan: %w", err)
		}
	}
	if d.push {
		ref, err := f.pushPlan(cmd, p, plan)
		return line(ref), err
	}
	return plan, nil
}
