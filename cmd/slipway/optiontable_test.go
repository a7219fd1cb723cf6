package main

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// optionTable is testdata/options.txtar.
type optionTable struct {
	prepare  [][]string
	defaults map[string]string // options with values, by their names
	bases    []*optionBase
	world    []txtar.File

	mu   sync.Mutex
	used map[string]bool // "slipway release -json"
}

// optionBase is a command line to which options are added.
type optionBase struct {
	line   string
	args   []string
	values map[string]string
	all    bool // with all options that the command has
}

func (o *optionTable) use(cmd *cobra.Command, name string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.used[cmd.CommandPath()+" -"+name] = true
}

// options returns the names of the options that are tried.
func (b *optionBase) options(cmd *cobra.Command) (names []string) {
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name != "help" && (b.all || b.values[f.Name] != "") {
			names = append(names, f.Name)
		}
	})
	return names
}

// readOptions reads testdata/options.txtar. A line of it
//
//	prepare ARGS              runs a command in the world, which must succeed
//	plan, open ARGS           do so, too; what they print is $PLAN and $OPEN below
//	default OPTION            is the value of an option where a command line has no other
//	elsewhere COMMAND OPTION  is an option whose use something else shows, which follows
//	try ARGS                  is a command line that is tried with all its options
//	also ARGS                 is one that is tried with the options below it
//
// Lines below the last two, with a blank before them, are options. One that is followed by -- and a
// reason is not tried there. $REG is a registry, and $RUN the name of a run.
func readOptions(t *testing.T) *optionTable {
	t.Helper()
	a, err := txtar.ParseFile("testdata/options.txtar")
	if err != nil {
		t.Fatal(err)
	}
	table := &optionTable{defaults: map[string]string{}, world: a.Files, used: map[string]bool{}}
	for line := range strings.Lines(string(a.Comment)) {
		words := strings.Fields(line)
		switch {
		case len(words) == 0 || words[0] == "#":
		case strings.HasPrefix(line, " "):
			last := table.bases[len(table.bases)-1]
			last.values[optionName(words[0])] = words[0]
			if len(words) > 1 { // a reason
				last.values[optionName(words[0])] = untried
			}
		case words[0] == "prepare" || words[0] == "plan" || words[0] == "open":
			table.prepare = append(table.prepare, words)
		case words[0] == "default":
			table.defaults[optionName(words[1])] = words[1]
		case words[0] == "elsewhere":
			option := 1 + slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
			table.used["slipway "+strings.Join(words[1:option], " ")] = true
		case words[0] == "try" || words[0] == "also":
			table.bases = append(table.bases,
				&optionBase{strings.Join(words[1:], " "), words[1:], map[string]string{}, words[0] == "try"})
		default:
			t.Fatalf("testdata/options.txtar: %s", line)
		}
	}
	return table
}

// optionName returns json of -json=true.
func optionName(option string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(option, "-"), "=")
	return name
}
