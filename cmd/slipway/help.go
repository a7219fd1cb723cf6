package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// helpWidth is how many columns a line of help has at most.
const helpWidth = 90

// writeHelp writes what a command does, and its usage.
func writeHelp(cmd *cobra.Command, _ []string) {
	w := cmd.OutOrStdout()
	var paragraph []string
	end := func() {
		for _, line := range wrap(strings.Join(paragraph, " "), helpWidth) {
			fmt.Fprintln(w, line)
		}
		paragraph = nil
	}
	for line := range strings.SplitSeq(strings.TrimSpace(cmp.Or(cmd.Long, cmd.Short)), "\n") {
		if line == "" || strings.HasPrefix(line, " ") { // the end of a paragraph, and a list
			end()
			fmt.Fprintln(w, line)
		} else {
			paragraph = append(paragraph, line)
		}
	}
	end()
	fmt.Fprintln(w)
	writeUsage(w, cmd)
}

// usage prints how a command is called, where cobra asks for that alone.
func usage(cmd *cobra.Command) error {
	writeUsage(cmd.OutOrStderr(), cmd)
	return nil
}

// writeUsage writes how a command is called: its arguments, examples, commands and flags.
func writeUsage(w io.Writer, cmd *cobra.Command) {
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "Usage:\n  %s COMMAND\n", cmd.CommandPath())
	} else {
		fmt.Fprintf(w, "Usage:\n  %s\n", cmd.UseLine())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	if cmd.HasAvailableSubCommands() {
		writeCommands(w, cmd)
	}
	fmt.Fprintf(w, "\nFlags:\n")
	writeFlags(w, cmd.LocalFlags())
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\"%s COMMAND -h\" explains a command.\n", cmd.CommandPath())
	}
}

// writeCommands lists the commands below one, by their groups.
func writeCommands(w io.Writer, cmd *cobra.Command) {
	groups := cmd.Groups()
	if len(groups) == 0 {
		groups = []*cobra.Group{{Title: "Commands:"}}
	}
	for _, g := range groups {
		fmt.Fprintf(w, "\n%s\n", g.Title)
		for _, c := range cmd.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() || c.GroupID == g.ID && c.Name() == "help" {
				fmt.Fprintf(w, "  %-14s  %s\n", c.Name(), c.Short)
			}
		}
	}
}

// writeFlags lists flags in the form in which the examples write them, each with its meaning.
func writeFlags(w io.Writer, flags *pflag.FlagSet) {
	const column = 22
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		form, usage := flagForm(f)
		margin := strings.Repeat(" ", column)
		indent := "  " + form + strings.Repeat(" ", max(1, column-2-utf8.RuneCountInString(form)))
		if utf8.RuneCountInString(indent) > column {
			fmt.Fprintln(w, strings.TrimRight(indent, " "))
			indent = margin
		}
		for _, line := range wrap(usage, helpWidth-column) {
			fmt.Fprintln(w, indent+line)
			indent = margin
		}
	})
}

// placeholders are what help writes for the values of flags, by their types.
var placeholders = map[string]string{
	"string": "TEXT", "strings": "LIST", "stringSlice": "LIST", "stringArray": "TEXT", "int": "N", "int64": "N",
	"duration": "TIME", "age": "TIME", "size": "SIZE", "level": "LEVEL", "": "TEXT",
}

// flagForm returns a flag as it is written, -out=DIR, and its meaning with the default.
func flagForm(f *pflag.Flag) (form, usage string) {
	usage = f.Usage
	form = "-" + f.Name
	if f.Shorthand != "" {
		form = "-" + f.Shorthand + ", " + form
	}
	kind := f.Value.Type()
	switch {
	case kind == "bool":
		if f.DefValue == "true" {
			usage += " (default true)"
		}
		return form, usage
	case f.Annotations[cobra.BashCompSubdirsInDir] != nil:
		kind = "DIR"
	case f.Annotations[cobra.BashCompFilenameExt] != nil:
		kind = "FILE"
	default:
		kind = cmp.Or(placeholders[kind], kind)
	}
	if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "none" {
		usage += " (default " + strings.Trim(f.DefValue, "[]") + ")"
	}
	return form + "=" + kind, usage
}

// wrap divides a text into lines of at most width columns.
func wrap(text string, width int) (lines []string) {
	for word := range strings.FieldsSeq(text) {
		last := len(lines) - 1
		if last >= 0 && utf8.RuneCountInString(lines[last])+1+utf8.RuneCountInString(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return slices.Clip(lines)
}
