package target

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// inputs decide which slipway the go command compiles: its settings, and files of modules outside
// of the module cache, which does not change.
type inputs struct {
	Files []string `json:"files"` // read if they are there, as go.mod, go.sum and go.work are
	Dirs  []string `json:"dirs"`  // of packages: the files in them
	Trees []string `json:"trees"` // of packages that embed files: all below them
}

// record lists the inputs of a compiled slipway, in a file next to the program. With the record a
// target need not ask `go build`, which takes half a second to find that nothing has changed.
type record struct {
	Program string `json:"program"` // SHA-256 in hexadecimal digits
	Of      string `json:"of"`      // SHA-256 of the inputs
	inputs
}

func recordOf(program string) string { return program + ".json" }

// current reports whether a program is what the go command would compile: the program and all its
// inputs have the digests that its record has.
func current(ctx context.Context, program string) bool {
	text, err := os.ReadFile(recordOf(program))
	var r record
	if err != nil || json.Unmarshal(text, &r) != nil || r.Program == "" {
		return false
	}
	made := make(chan string, 1)
	go func() {
		d, _ := digest(program)
		made <- d
	}()
	of, err := r.digest(ctx)
	return <-made == r.Program && err == nil && of == r.Of
}

// recorded calls build, which compiles the package pkg into a program, and records of what. What
// changes meanwhile, or cannot be known, is not recorded. A program that is not there is compiled
// at once: only the go command shows how far it is with fetching modules.
func recorded(ctx context.Context, program, pkg string, build func() error) error {
	if err := os.Remove(recordOf(program)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(program); err != nil {
		return build()
	}
	var r record
	var unknown error
	if r.inputs, unknown = listInputs(ctx, pkg); unknown == nil {
		r.Of, unknown = r.digest(ctx)
	}
	if err := build(); err != nil || unknown != nil {
		return err
	}
	made, err := digest(program)
	if err != nil {
		return err
	}
	r.Program = made
	if again, err := r.digest(ctx); err != nil || again != r.Of {
		return nil //nolint:nilerr // the next run compiles, and says what is wrong
	}
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(recordOf(program), text, 0o644) //nolint:gosec // as the program
}

// listInputs asks the go command which directories it reads for a package.
func listInputs(ctx context.Context, pkg string) (in inputs, err error) {
	out, err := goCommand(ctx, "env", "GOMODCACHE", "GOMOD", "GOWORK").Output()
	if err != nil {
		return in, err
	}
	env := strings.Split(string(out), "\n")
	for _, file := range env[1:3] {
		if file != "" && file != "off" {
			in.Files = append(in.Files, file, strings.TrimSuffix(strings.TrimSuffix(file, ".mod"), ".work")+".sum",
				file+".sum")
		}
	}
	const format = `{{if not .Standard}}{{.Dir}}{{"\t"}}{{.Module.Dir}}{{"\t"}}{{len .EmbedPatterns}}{{end}}`
	if out, err = goCommand(ctx, "list", "-deps", "-buildvcs=false", "-f", format, pkg).Output(); err != nil {
		return in, err
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != 3 || f[0] == "" || f[1] == "" {
			return in, fmt.Errorf("go list prints %q", line)
		}
		dir, module, embeds := f[0], f[1], f[2] != "0"
		if strings.HasPrefix(dir, env[0]+string(filepath.Separator)) {
			continue
		}
		if embeds {
			in.Trees = append(in.Trees, dir)
		} else {
			in.Dirs = append(in.Dirs, dir)
		}
		for ; len(dir) >= len(module); dir = filepath.Dir(dir) { // a go.mod may make it another module's
			in.Files = append(in.Files, filepath.Join(dir, "go.mod"))
		}
	}
	more, err := moduleFiles(ctx, env[2])
	if err != nil {
		return in, err
	}
	in.Files = append(in.Files, more...)
	slices.Sort(in.Files)
	in.Files = slices.Compact(in.Files)
	return in, nil
}

// moduleFiles lists the go.mod of the modules in directories that decide the versions of others,
// whether the program has a package of theirs or not: all of a workspace, and replacements.
func moduleFiles(ctx context.Context, work string) (all []string, err error) {
	out, err := goCommand(ctx, "list", "-m", "-f", "{{.GoMod}}").Output()
	if err != nil {
		return nil, err
	}
	all = strings.Split(strings.TrimSpace(string(out)), "\n")
	for _, file := range append(slices.Clone(all), work) {
		tool := "mod"
		switch file {
		case "", "off":
			continue
		case work:
			tool = "work"
		}
		if out, err = goCommand(ctx, tool, "edit", "-json", file).Output(); err != nil {
			return nil, err
		}
		var has struct {
			Replace []struct {
				New struct{ Path, Version string }
			}
		}
		if err := json.Unmarshal(out, &has); err != nil {
			return nil, fmt.Errorf("go %s edit -json %s: %w", tool, file, err)
		}
		for _, r := range has.Replace {
			switch dir := filepath.FromSlash(r.New.Path); {
			case r.New.Version != "":
			case filepath.IsAbs(dir):
				all = append(all, filepath.Join(dir, "go.mod"))
			default:
				all = append(all, filepath.Join(filepath.Dir(file), dir, "go.mod"))
			}
		}
	}
	return all, nil
}

// Settings of the go command: those that are for C and change with each run, and those that may
// name files.
var (
	random   = regexp.MustCompile(`(?m)^GOGCCFLAGS=.*\n`)
	released = regexp.MustCompile(`(?m)^GOVERSION='go1[0-9.]+'$`)
	flags    = regexp.MustCompile(`(?m)^GOFLAGS='( ?-(trimpath|mod=\w+|buildvcs=\w+|v|x|p=\d+))*'$`)
)

// digest reads the settings and all files.
func (in inputs) digest(ctx context.Context) (string, error) {
	env, err := goCommand(ctx, "env").Output()
	if err != nil {
		return "", err
	}
	if !released.Match(env) || !flags.Match(env) {
		return "", errors.New("the go command may read other files")
	}
	h := sha256.New()
	fmt.Fprintln(h, buildFlags)
	h.Write(random.ReplaceAll(env, nil))
	for _, file := range in.Files {
		if err := add(h, file); err != nil {
			return "", err
		}
	}
	for _, dir := range in.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if err := add(h, filepath.Join(dir, e.Name())); err != nil {
				return "", err
			}
		}
	}
	for _, dir := range in.Trees {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return add(h, path)
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// add hashes the path of a file and its bytes; only the path if it is missing or not a file.
func add(h hash.Hash, path string) error {
	fi, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(h, "%q is not there\n", path)
		return nil
	}
	if err != nil {
		return err
	}
	var text []byte
	if fi.Mode().IsRegular() {
		if text, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	fmt.Fprintf(h, "%q %v %d\n", path, fi.Mode().Type(), len(text))
	h.Write(text)
	return nil
}

// digest is the SHA-256 of a file in hexadecimal digits.
func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
