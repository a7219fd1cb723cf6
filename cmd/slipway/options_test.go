package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/testing/extent"
)

// TestEveryOption runs each command with each option that it accepts, in copies of one directory,
// and compares what comes of it with a run without the option: the exit code, what is printed, the
// files and what the registry is sent. An option that changes nothing is accepted, and never read.
// testdata/options.txtar has the command lines and the values.
func TestEveryOption(t *testing.T) {
	extent.Long(t, "runs each command with each of its options")
	table := readOptions(t)
	world := newWorld(t, table)
	before := world.sums(t)
	t.Run("options", func(t *testing.T) {
		for _, b := range table.bases {
			t.Run(b.line, func(t *testing.T) {
				t.Parallel()
				table.try(t, world, b)
			})
		}
	})
	for path, sum := range world.sums(t) {
		if before[path] != sum {
			t.Errorf("a command wrote into %s, not another file in its place", path)
		}
	}
	var unused []string
	each(newRoot(), func(cmd *cobra.Command, f *pflag.Flag) {
		if name := cmd.CommandPath() + " -" + f.Name; !table.used[name] {
			unused = append(unused, name)
		}
	})
	if len(unused) > 0 {
		t.Errorf("testdata/options.txtar has no command line in which these are of use: %s", strings.Join(unused, ", "))
	}
}

// try runs a command line, and then with each of its options.
func (table *optionTable) try(t *testing.T, world *world, b *optionBase) {
	cmd, _, err := newRoot().Find(b.args)
	if err != nil {
		t.Fatal(err)
	}
	plain := [2]outcomeOf{world.run(t, b.args), world.run(t, b.args)}
	if o := plain[0]; o.code == 2 {
		t.Fatalf("it is a wrong command line:\n%s", o.stderr)
	}
	for _, name := range b.options(cmd) {
		o := cmp.Or(b.values[name], table.defaults[name])
		if o == untried {
			continue
		}
		if o == "" {
			t.Errorf("testdata/options.txtar has no value of -%s", name)
			continue
		}
		got := world.run(t, append(slices.Clone(b.args), o))
		switch {
		case malformed.MatchString(got.stderr):
			t.Errorf("%s: the value is malformed, and proves nothing: %s", o, got.stderr)
		case !got.differs(plain):
			t.Errorf("%s: %s: it is as without the option, which nobody reads: make it a usage error:\n%s%s", b.line, o,
				got.stdout, got.stderr)
		case got.code != 2 || !idleOption.MatchString(got.stderr):
			table.use(cmd, name)
		}
	}
}

// idleOption matches what is said of an option that has no effect in a command line. Another
// mistake is about its value, which was read.
var idleOption = regexp.MustCompile(`no effect|exclude each other|leave (it|one) out|belongs? to`)

// untried is the value of an option that a command line is not tried with.
const untried = "--"

// each calls do with each option of each command, but -help.
func each(cmd *cobra.Command, do func(*cobra.Command, *pflag.Flag)) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" {
			do(cmd, f)
		}
	})
	for _, sub := range cmd.Commands() {
		each(sub, do)
	}
}

// malformed is the error about a value that the option's type refuses.
var malformed = regexp.MustCompile(
	`error: -[a-z-]+=[^:]*: (malformed|write )|unknown (shorthand )?flag|flag needs an argument`)
