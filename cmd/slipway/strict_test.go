package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// everyCommand returns all commands that do something.
func everyCommand(cmd *cobra.Command) (all []*cobra.Command) {
	if cmd.Runnable() && !cmd.HasSubCommands() {
		all = append(all, cmd)
	}
	for _, sub := range cmd.Commands() {
		all = append(all, everyCommand(sub)...)
	}
	return all
}

// refused runs a command line, which must be a wrong one, and returns what it prints.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	var out, problems strings.Builder
	if code := run(args, &out, &problems); code != 2 || out.Len() > 0 || strings.Count(problems.String(), "\n") != 1 {
		t.Errorf("slipway %q: exit code %d, %q, %q", args, code, out.String(), problems.String())
	}
	return problems.String()
}

// TestEmptyFlags gives each flag of each command an empty value, as a variable of a script has that
// is not set.
func TestEmptyFlags(t *testing.T) {
	t.Chdir(t.TempDir())
	tried := 0
	for _, cmd := range everyCommand(newTree(io.Discard, io.Discard)) {
		words := strings.Fields(cmd.CommandPath())[1:]
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			empty := []string{"-" + f.Name + "=", "--" + f.Name + "= "}
			if _, ok := f.Value.(pflag.SliceValue); ok && f.Value.Type() == "stringSlice" {
				empty = append(empty, "-"+f.Name+"=a,", "-"+f.Name+"=,a", "-"+f.Name+"=a, ,b")
			}
			for _, flag := range empty {
				tried++
				got := refused(t, append(words, flag)...)
				if !strings.HasPrefix(got, "error: -"+f.Name+" ") || !strings.Contains(got, errEmpty.Error()) {
					t.Errorf("%s %s: %s", cmd.CommandPath(), flag, got)
				}
			}
		})
	}
	if tried < 500 {
		t.Errorf("only %d flags were tried", tried)
	}
}

// TestArguments gives each command too few arguments, too many and empty ones.
func TestArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, cmd := range everyCommand(newTree(io.Discard, io.Discard)) {
		words := strings.Fields(cmd.CommandPath())[1:]
		a := argumentsOf(cmd.Use)
		try := func(want string, args ...string) {
			t.Helper()
			want = "error: " + strings.Join(words, " ") + " takes " + want
			if got := refused(t, append(words, args...)...); !strings.HasPrefix(got, want) {
				t.Errorf("slipway %q: %s, want %s", args, got, want)
			}
		}
		if a.min > 0 {
			try("")
		}
		if a.max == 0 {
			try(`no argument: got "x"`, "x")
			continue
		}
		if a.max < 10 {
			try("", strings.Fields(strings.Repeat("x ", a.max+1))...)
		}
		full := strings.Fields(strings.Repeat("x ", max(a.min, 1)))
		full[len(full)-1] = ""
		try("", full...)
	}
}

func TestArgumentsOf(t *testing.T) {
	for _, test := range []struct {
		use, want string
		given     []string
	}{
		{"x", `takes no argument: got "a"`, []string{"a", "b"}},
		{"x A", "takes one A: got none", nil},
		{"x A|B -from=C", "takes one A or B: got 2", []string{"a", "b"}},
		{"x A|B|C ...", "takes A, B or C: got none", nil},
		{"x A|B ... -to=C", "", []string{"a", "b", "c"}},
		{"x [A|B]", "takes A or B: got 2", []string{"a", "b"}},
		{"x [A ...]", "", []string{"a", "b"}},
		{"x [A ...]", "takes A: argument 2 is given and empty: write a value, or leave it out", []string{"a", " "}},
		{"x A B", "takes A and B: got 1", []string{"a"}},
		{"x A B", "", []string{"a", "b"}},
	} {
		got := ""
		if err := argumentsOf(test.use).check(test.given); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s with %q: %s, want %s", test.use, test.given, got, test.want)
		}
	}
}

// TestDirectories gives commands a directory where they take a bundle, as a shell completes it.
func TestDirectories(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "dist", "release.yaml", "")
	put(t, "dist", "release.lock.json", "{}")
	put(t, "dist", "a.inputs.tar.gz", "")
	put(t, "dist", "a.linux-amd64.tar.zst", "")
	put(t, "dist", "a.tar.zst", "")
	put(t, "deltas", "a.tar.zst.delta", "")
	put(t, "other", "a.txt", "")
	for line, want := range map[string]string{
		"airgap inspect dist":               "dist is a directory: name a file in it, such as dist/a.tar.zst; see",
		"airgap extract dist x -o=y":        "dist is a directory: name a file in it, such as dist/a.tar.zst; see",
		"airgap push other -to=a.example/x": "other is a directory, and has no *.tar.zst: name a file; see",
		"airgap split dist":                 "dist is a directory: name a file in it, such as dist/a.tar.zst; see",
		"airgap diff dist/a.tar.zst dist":   "dist is a directory: name a file in it, such as dist/a.tar.zst; see",
		"airgap apply deltas -base=x -o=y":  "deltas is a directory: name a file in it, such as deltas/a.tar.zst.delta; see",
		"airgap push dist -to=a.example/x":  "dist is a directory: name a file in it, such as dist/a.tar.zst; see",
		"promote dist -to=a.example/x":      "dist is a directory: name a file in it, such as dist/release.lock.json; see",
		"lint dist":                         "dist is a directory: name a file in it, such as dist/release.yaml; see",
		"merge dist":                        "dist is a directory, and has no release.part.json: name a file; see",
		"plan -product=dist":                "-product=dist is a directory, and has no slipway.yaml: name a file; see",
		"release -sign=dist":                "-sign=dist is a directory, and has no *.key: name a file; see",
		"release -plan=dist -shard=0":       "-plan=dist is a directory, and has no plan.json: name a file; see",
		"release -ca-file=dist":             "-ca-file=dist is a directory, and has no *.pem: name a file; see",
		"nodes -nodes=dist":                 "-nodes=dist is a directory, and has no nodes.json: name a file; see",
		"verify dist -key=dist":             "-key=dist is a directory, and has no *.pub: name a file; see",
		"airgap push dist/a.tar.zst -to=a.example/x -release=dist": "-release=dist is a directory: " +
			"name a file in it, such as dist/release.yaml; see",
		"airgap apply deltas/a.tar.zst.delta -base=dist -o=y": "-base=dist is a directory: " +
			"name a file in it, such as dist/a.tar.zst; see",
		"airgap extract dist/a.tar.zst x -o=-": "-o=-: extract does not write to standard output: name a file; see",
	} {
		if got := refused(t, strings.Fields(line)...); !strings.HasPrefix(got, "error: "+want) {
			t.Errorf("slipway %s: %s, want %s", line, got, want)
		}
	}
}
