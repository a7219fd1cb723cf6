package source

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/regular"
	"github.com/slipway-dev/slipway/internal/subprocess"
)

// buildVariables decide what the go command builds, and are removed from the user's environment,
// because an exported GOOS would otherwise put an ELF file into a Windows image.
var buildVariables = []string{
	"GOOS", "GOARCH", "GOARM", "GOARM64", "GOAMD64", "GO386", "GOMIPS", "GOMIPS64", "GOPPC64", "GORISCV64", "GOWASM",
	"GOFLAGS", "GOEXPERIMENT", "GOFIPS140", "CGO_ENABLED", "GO_EXTLINK_ENABLED", "GOWORK", "GO111MODULE",
	"GOENV", "PWD",
	"CC", "CXX", "FC", "AR", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_FFLAGS", "CGO_LDFLAGS",
}

// Go returns a go command to be run in dir, in an environment without those of the user's
// variables that would change what it makes. Where ctx ends, it ends with its children.
func Go(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := subprocess.Command(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = append(Environ(), "GOWORK=off", "PWD="+dir)
	return cmd
}

// Go returns a go command to be run in the tree. A third-party tree does not choose by the go and
// toolchain lines of its go.mod which toolchain runs, unless the user has set GOTOOLCHAIN: the
// lock names the installed one.
func (t Tree) Go(ctx context.Context, args ...string) *exec.Cmd {
	cmd := Go(ctx, t.Dir, args...)
	if !t.Source.Own {
		cmd.Env = installed(cmd.Env)
	}
	return cmd
}

// installed keeps the go command from running another toolchain, unless the user has chosen one.
func installed(env []string) []string {
	if lookup(env, "GOTOOLCHAIN") == "" {
		env = append(env, "GOTOOLCHAIN=local")
	}
	return env
}

// Environ is the process's environment without the variables that decide what the go command
// builds, whether they were exported or kept with go env -w. What the user set about proxies,
// caches and toolchains stays; of GOFLAGS only -modcacherw does.
func Environ() []string {
	var env []string
	flags := ""
	for _, kv := range append(settings(), os.Environ()...) {
		name, value, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(name, "GO") && value == "" {
			continue // the go command takes an empty variable for none
		}
		if name == "GOFLAGS" {
			flags = value
		}
		if !slices.Contains(buildVariables, name) {
			env = append(env, kv)
		}
	}
	if v, ok := os.LookupEnv("GOCACHEPROG"); ok && v == "" { // exported as empty: the kept value does not count, either
		env = slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "GOCACHEPROG=") })
	}
	if slices.Contains(strings.Fields(flags), "-modcacherw") {
		env = append(env, "GOFLAGS=-modcacherw")
	}
	return append(env, "GOENV=off")
}

// settings are the variables that the user keeps with go env -w.
func settings() []string {
	file := os.Getenv("GOENV")
	if file == "" {
		dir, err := os.UserConfigDir()
		if err != nil {
			return nil
		}
		file = filepath.Join(dir, "go", "env")
	}
	b, err := regular.Read(file)
	if err != nil {
		return nil // the go command does without it, too
	}
	var env []string
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "#") && strings.Contains(line, "=") {
			env = append(env, line)
		}
	}
	return env
}

// anywhere returns a go command that needs no directory. A go.mod that lies above the one it gets
// does not count.
func anywhere(ctx context.Context, args ...string) *exec.Cmd {
	cmd := Go(ctx, os.TempDir(), args...)
	cmd.Env = installed(cmd.Env)
	return cmd
}

// Version returns the version of the Go toolchain that compiles programs: "go1.26.8".
func Version(ctx context.Context) (string, error) {
	return first(installedVariables(ctx, "its version", "GOVERSION"))
}

// Variables returns variables of the go command, in their order, as they are for the tree, whose
// go.mod may choose the toolchain. That of a stranger does not: no go command reads it, and
// GOTOOLCHAIN decides. what describes the variables in messages.
func (t Tree) Variables(ctx context.Context, what string, names ...string) ([]string, error) {
	if t.Source.Confined {
		return installedVariables(ctx, what, names...)
	}
	return Variables(func(args ...string) *exec.Cmd { return t.Go(ctx, args...) }, what, names...)
}

// GoVersion returns the version of the toolchain of the tree: "go1.26.8".
func (t Tree) GoVersion(ctx context.Context) (string, error) {
	return first(t.Variables(ctx, "its version", "GOVERSION"))
}

// installedVariables returns variables of the go command as they are where no go.mod counts.
func installedVariables(ctx context.Context, what string, names ...string) ([]string, error) {
	return Variables(func(args ...string) *exec.Cmd { return anywhere(ctx, args...) }, what, names...)
}

func first(values []string, err error) (string, error) {
	return append(values, "")[0], err
}

// Settings returns variables of the go command, in their order, as the user has set them: GOPROXY,
// GOTOOLCHAIN.
func Settings(ctx context.Context, names ...string) ([]string, error) {
	return Variables(func(args ...string) *exec.Cmd { return Go(ctx, os.TempDir(), args...) },
		strings.Join(names, ", "), names...)
}
