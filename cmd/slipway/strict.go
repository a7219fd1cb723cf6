package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/slipway-dev/slipway/internal/imagename"
)

// newTree returns all commands, and those that cobra adds, each of which is strict.
func newTree(stdout, stderr io.Writer) *cobra.Command {
	root := newRoot()
	root.SetOut(stdout)
	root.SetErr(stderr)
	root.InitDefaultCompletionCmd() // prints to the output that is set by now
	for _, cmd := range root.Commands() {
		if cmd.HasSubCommands() {
			group(cmd)
		}
	}
	strict(root)
	return root
}

// strict makes a command and those below it refuse what they would pass over in silence: a flag or
// an argument that is given and empty, as where a variable of a script is not set, another number
// of arguments than its Use names, and a flag that has no effect without another.
func strict(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if zeroDefaults[f.DefValue] {
			f.DefValue = "" // pflag knows these as zero by the types of its own values
		}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			f.Value = filledList{filled{f.Value}, list}
		} else {
			f.Value = filled{f.Value}
		}
	})
	if !cmd.HasSubCommands() {
		args := argumentsOf(cmd.Use)
		cmd.Args = func(cmd *cobra.Command, given []string) error {
			if err := args.check(given); err != nil {
				if strings.Contains(cmd.Use, " -") { // an argument may be for one of its flags
					err = fmt.Errorf("%w: write %s %s", err, cmd.Parent().CommandPath(), cmd.Use)
				}
				return misuse(cmd, "%s %w", strings.TrimPrefix(cmd.CommandPath(), "slipway "), err)
			}
			if err := errors.Join(args.checkFiles(given), checkFileFlags(cmd)); err != nil {
				return misuse(cmd, "%w", err)
			}
			if err := alone(cmd); err != nil {
				return err
			}
			return checkOutputs(cmd, given)
		}
	}
	for _, sub := range cmd.Commands() {
		strict(sub)
	}
}

// zeroDefaults are the defaults that help does not print.
var zeroDefaults = map[string]bool{"[]": true, "0s": true}

// errEmpty is the error about a flag that is given and empty.
var errEmpty = errors.New("is given and empty: write a value, or leave it out")

// filled is a flag's value that is not empty.
type filled struct{ pflag.Value }

// Set sets the value.
func (v filled) Set(text string) error {
	if strings.TrimSpace(text) == "" {
		return errEmpty
	}
	return setValue(v.Value, text)
}

// filledList is a flag's list of values none of which is empty.
type filledList struct {
	filled
	pflag.SliceValue
}

// Set adds to the list.
func (v filledList) Set(text string) error {
	if err := v.filled.Set(text); err != nil {
		return err
	}
	if slices.ContainsFunc(v.GetSlice(), func(s string) bool { return strings.TrimSpace(s) == "" }) {
		return fmt.Errorf("has a value that %w", errEmpty)
	}
	return nil
}

// arguments are what a command takes besides flags.
type arguments struct {
	names    []string
	min, max int
}

// argumentsOf reads the arguments that a command's Use names: OLD NEW, [LOCK|BUNDLE] or BUNDLE ...
func argumentsOf(use string) (a arguments) {
	for _, word := range strings.Fields(use)[1:] {
		name := strings.Trim(word, "[].")
		switch {
		case strings.HasPrefix(word, "-"):
			return a // flags that the command needs follow
		case name != "":
			a.names = append(a.names, alternatives(name))
			a.max++
			if !strings.HasPrefix(word, "[") {
				a.min++
			}
		}
		if strings.Contains(word, "...") {
			a.max = math.MaxInt
		}
	}
	return a
}

// alternatives returns "A, B or C" for A|B|C.
func alternatives(name string) string {
	all := strings.Split(name, "|")
	if len(all) == 1 {
		return name
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}

// check reports arguments that are too few, too many or empty.
func (a arguments) check(given []string) error {
	name := strings.Join(a.names, " and ")
	switch {
	case len(given) > a.max && a.max == 0:
		return fmt.Errorf("takes no argument: got %q", given[0])
	case len(given) > a.max && a.min == 0:
		return fmt.Errorf("takes %s: got %d", name, len(given))
	case len(given) < a.min && a.max > a.min:
		return fmt.Errorf("takes %s: got none", name)
	case (len(given) < a.min || len(given) > a.max) && len(a.names) == 1:
		return fmt.Errorf("takes one %s: got %s", name, number(len(given)))
	case len(given) < a.min || len(given) > a.max:
		return fmt.Errorf("takes %s: got %s", name, number(len(given)))
	}
	for n, text := range given {
		if strings.TrimSpace(text) == "" {
			return fmt.Errorf("takes %s: argument %d %w", name, n+1, errEmpty)
		}
	}
	return nil
}

// number returns none for 0.
func number(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}

// needs notes that flags have no effect without another one, or any of several.
func needs(cmd *cobra.Command, other string, names ...string) {
	for _, name := range names {
		note(cmd, name, needed, other)
	}
}

// needed is the annotation of needs.
const needed = "slipway_needs"

// note adds a value to an annotation of a flag.
func note(cmd *cobra.Command, flag, annotation, value string) {
	f := cmd.Flags().Lookup(flag)
	if f.Annotations == nil {
		f.Annotations = map[string][]string{}
	}
	f.Annotations[annotation] = append(f.Annotations[annotation], value)
}

// alone reports a flag that is given without another that it needs.
func alone(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		others := f.Annotations[needed]
		if err == nil && len(others) > 0 && !slices.ContainsFunc(others, cmd.Flags().Changed) {
			err = idle(cmd, "without -"+strings.Join(others, " or -")+": give that, too", f.Name)
		}
	})
	return err
}

// chartless is where values have no effect.
const chartless = "without a chart: name one"

// idle reports one of the flags that is given where it has no effect.
func idle(cmd *cobra.Command, where string, names ...string) error {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return misuse(cmd, "-%s has no effect %s", name, where)
		}
	}
	return nil
}

// swapped reports a registry that is given in the place of a file, and a file in that of the
// registry of -to.
func swapped(cmd *cobra.Command, files []string, to ...string) error {
	for _, registry := range to {
		if fi, err := os.Stat(registry); err == nil && fi.Mode().IsRegular() {
			return misuse(cmd, "-to=%s is a file: name it as the argument, and the registry by -to", registry)
		}
	}
	for _, file := range files {
		_, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) && imagename.CheckRegistry(file) == nil &&
			!slices.Contains(fileSuffixes, filepath.Ext(file)) {
			return misuse(cmd, "%s is not a file: name the file as the argument, and the registry by -to=%[1]s", file)
		}
	}
	return nil
}

// fileSuffixes are those of files that commands with a registry in -to read.
var fileSuffixes = []string{".zst", ".gz", ".tar", ".json", ".delta"}
