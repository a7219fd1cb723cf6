package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/testing/golden"
)

var update = flag.Bool("update", false, "write docs/commands.md")

// codes are the exit codes, as every command has them.
var codes = [][2]string{
	{"0", "All is well: what was asked for is done, or proven, and a check found nothing that fails."},
	{"1", "Findings, or refused: a check found something, a proof failed, or the work could not be done. Nothing is half-written."},
	{"2", "A mistake in the command line, which nothing was done for."},
	{"3", "A registry or another server denied, failed or did not answer, so that there is no verdict. Run it again."},
	{"130", "Ctrl-C; 128 and its number for another signal. What was complete stays."},
}

// variables are the environment variables that slipway reads itself. Programs that it starts, and
// libraries, read further ones.
var variables = map[string]string{
	"SLIPWAY_REGISTRY":        "What `-registry` is if it is not given: destinations, separated by commas.",
	"SLIPWAY_VERSION":         "What `-version` is if it is not given.",
	"SLIPWAY_PASSWORD":        "The password of the private key; without it, the terminal asks.",
	"SLIPWAY_BUILD_CACHE":     "What `-build-cache` is if it is not given.",
	"SLIPWAY_RUN_BY":          "`mage` where a target runs slipway: messages then advise targets. Targets set it.",
	"SOURCE_DATE_EPOCH":       "The time of the release in seconds since 1970, instead of that of the newest commit.",
	"NO_COLOR":                "Anything: nothing is colored.",
	"CI":                      "Anything: progress is lines of a log, on a terminal, too.",
	"TERM":                    "`dumb`: no colors, and no lines that change.",
	"GITHUB_TOKEN":            "The token of `github-release`.",
	"GITHUB_REPOSITORY":       "What `-github-repository` is if it is not given.",
	"GITHUB_API_URL":          "The API of `github-release`, such as that of an Enterprise Server.",
	"DOCKER_CONFIG":           "The directory of Docker's configuration with the credentials of registries.",
	"DOCKER_AUTH_CONFIG":      "That configuration itself, as GitLab's runners have it.",
	"REGISTRY_AUTH_FILE":      "The file with podman's and skopeo's credentials.",
	"XDG_RUNTIME_DIR":         "Where podman has credentials if `REGISTRY_AUTH_FILE` is not set.",
	"XDG_CONFIG_HOME":         "Where podman and git have their configuration, instead of `~/.config`.",
	"HTTPS_PROXY":             "The proxy for requests, with `HTTP_PROXY` and the exceptions of `NO_PROXY`.",
	"HTTP_PROXY":              "The proxy for requests without TLS.",
	"NO_PROXY":                "Hosts that no proxy is asked for.",
	"SSL_CERT_FILE":           "A PEM file of certificate authorities, instead of the system's; `SSL_CERT_DIR` is a directory of those.",
	"GOGC":                    "How often slipway collects garbage, instead of rarely.",
	"GOOS":                    "In `cacheprog`, which the go command calls: part of the tag of objects, with `GOARCH` and `GOVERSION`.",
	"GOARCH":                  "See `GOOS`.",
	"GOVERSION":               "See `GOOS`.",
	"GOCACHE":                 "The go command's cache, which a sandbox opens for compilers.",
	"GOCACHEPROG":             "A cache program of the go command; empty: none, whatever go env has.",
	"GOENV":                   "The file with the settings of the go command.",
	"GOFLAGS":                 "Flags of the go command, in its targets for mage.",
	"GOVCS":                   "In `reproduce`: the version control systems that modules may come by; none by default.",
	"PATH":                    "Where go, git, and the builders of Dockerfiles are found.",
	"TZ":                      "The time zone in which charts and templates are rendered is UTC, whatever this says.",
	"GIT_CEILING_DIRECTORIES": "Directories above which git looks for no repository.",
	"ProgramData":             "On Windows: where `verifier` has its directory.",
	"SystemDrive":             "On Windows: the disk whose root only administrators change.",
}

// TestReference writes docs/commands.md: the commands as -h explains them, flags, exit codes and
// environment variables.
func TestReference(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Commands\n\nEach command as `slipway COMMAND -h` prints it, the flags, exit codes and environment variables. " +
		"`go test ./cmd/slipway -update` writes this page from the command itself. " +
		"[reference.md](reference.md) has the keys of `slipway.yaml`.\n\n" +
		"A flag is written with one dash or two, and its value after `=` or a space. One that is given and empty is an error.\n\n" +
		"## Exit codes\n\n| code | meaning |\n|--:|---|\n")
	for _, c := range codes {
		fmt.Fprintf(&b, "| %s | %s |\n", c[0], c[1])
	}
	b.WriteString("\n## Environment variables\n\nCredentials are those of `docker login`, `podman login`, or a credential helper.\n\n" +
		"| variable | meaning |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, variables[name])
	}
	meanings, commands := flagsOf(t)
	b.WriteString("\n## Flags\n\nA flag means the same in each command that has it.\n\n| flag | meaning | commands |\n|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(meanings)) {
		fmt.Fprintf(&b, "| `-%s` | %s | %s |\n", name, strings.ReplaceAll(meanings[name], "|", `\|`), strings.Join(commands[name], ", "))
	}
	var write func(cmd *cobra.Command)
	write = func(cmd *cobra.Command) {
		fmt.Fprintf(&b, "\n## %s\n\n```text\n%s```\n", cmd.CommandPath(), helpOf(t, cmd))
		for _, sub := range cmd.Commands() {
			if sub.Name() != "help" && sub.Name() != "completion" {
				write(sub)
			}
		}
	}
	write(newTree(io.Discard, io.Discard))
	golden.Compare(t, *update, "../../docs/commands.md", b.String())
}

// variableName matches the name of an environment variable of slipway's own.
var variableName = regexp.MustCompile(`^SLIPWAY_[A-Z_]+$`)

// TestVariables checks that the reference has each environment variable that slipway reads.
func TestVariables(t *testing.T) {
	read := map[string]string{"HTTPS_PROXY": "a library", "HTTP_PROXY": "a library", "NO_PROXY": "a library", "SSL_CERT_FILE": "a library"}
	err := fs.WalkDir(os.DirFS("../.."), ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (file == "test" || file == "examples" || file == "magefiles" || file == "internal/testing" ||
			file != "." && d.Name()[0] == '.' || d.Name() == "testdata"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", file), nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && (s.Sel.Name == "Getenv" || s.Sel.Name == "LookupEnv") {
					if l, ok := n.Args[0].(*ast.BasicLit); ok {
						name, _ := strconv.Unquote(l.Value)
						read[name] = file
					}
				}
			case *ast.BasicLit:
				if name, err := strconv.Unquote(n.Value); err == nil && variableName.MatchString(name) {
					read[name] = file
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range read {
		if variables[name] == "" {
			t.Errorf("%s reads $%s, which the reference lacks: describe it in variables", file, name)
		}
	}
	for name := range variables {
		if read[name] == "" && name != "SOURCE_DATE_EPOCH" && name != "DOCKER_AUTH_CONFIG" {
			t.Errorf("nothing reads $%s: take it out of variables", name)
		}
	}
}
