package run

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/internal/output"
)

// skip records that the current command is skipped, and why, if there is more to it than that
// nothing is run.
func (r *runner) skip(refusal error) {
	c := r.command()
	k := &Skip{At: r.location, Text: c.String(), Refusal: refusal}
	if known := (refused{}); refusal != nil && !errors.As(refusal, &known) {
		if r.s.guess {
			k.Because, k.Refusal = slices.Clone(r.s.Skipped), nil
		} else if errors.Is(refusal, errUnknown) {
			k.Refusal = unread(refusal)
		}
	}
	r.addPaths(k, c)
	for n, p := range k.paths {
		if to, err := tree.Follow(r.t, p); !tree.Loops(err) {
			check(err)
			k.paths[n] = to
		}
	}
	r.s.AddSkip(k)
}

// unread is errUnknown in a stage whose base is not read.
func unread(err error) error {
	about := mistake.Located{}
	errors.As(err, &about)
	text, _, _ := strings.Cut(err.Error(), errUnknown.Error())
	return mistake.At(about.Word, "%sthe files of the base are unknown, since the stage compiles programs "+
		"and its base is not read: take what the line needs out of another stage or image with COPY --from", text)
}

// addPaths adds to a skip the paths that its command may write.
func (r *runner) addPaths(k *Skip, c script.Command) {
	name := path.Base(c.Args[0].Text)
	words := c.Texts()[1:]
	_, known := r.s.command(c.Args[0].Text)
	switch {
	case name == "xx-info", name == "xx-verify":
	case name == "go" || name == "xx-go":
		r.addGoPaths(k, words)
	case name == "git" && len(words) > 0 && words[0] == "config":
		k.paths = append(k.paths, "/root/.gitconfig")
	case slices.Contains(setUp, name) && name != "git":
		k.System = true
		for n, w := range words {
			k.paths = append(k.paths, pathsIn(r.dir, w)...)
			if n > 0 && slices.Contains(roots, words[n-1]) {
				k.paths = append(k.paths, path.Join(r.dir, w))
			}
		}
	case known && name != "git":
		k.changes = true
		if slices.Contains([]string{"tar", "unzip", "curl", "wget"}, name) {
			k.paths = append(k.paths, path.Clean(r.dir))
		}
		for _, w := range words {
			if !strings.HasPrefix(w, "-") {
				before, _, pattern := strings.Cut(w, "*")
				if pattern {
					w = path.Dir(before + "x")
				}
				k.paths = append(k.paths, joined(r.dir, w))
			}
		}
	default:
		k.changes, k.anywhere = true, true
		k.paths = append(k.paths, path.Clean(r.dir))
		for _, w := range slices.Concat(words, c.Env, r.s.Config.Env) {
			k.paths = append(k.paths, pathsIn(r.dir, w)...)
		}
	}
	if c.Output != nil {
		k.paths = append(k.paths, joined(r.dir, c.Output.File.Text))
	}
	if c.Input != nil {
		r.addPaths(k, *c.Input)
	}
}

// roots are options whose value is the directory that packages and accounts go into.
var roots = []string{"--root", "--installroot", "--rootdir", "--prefix", "-R", "-r", "-p", "-P"}

// addGoPaths is addPaths for the go command.
func (r *runner) addGoPaths(k *Skip, words []string) {
	verb := ""
	if len(words) > 0 {
		verb = words[0]
	}
	switch verb {
	case "build", "install", "test":
		out := path.Clean(r.dir)
		if _, err := parseGo(words[1:]); err != nil && verb != "test" {
			k.anywhere = true
		}
		if verb == "install" {
			out = r.goBin(r.variable, r.s.System)
		}
		for n, w := range words {
			if value, ok := strings.CutPrefix(w, "-o="); ok {
				out, k.changes = joined(r.dir, value), true
			} else if w == "-o" && n+1 < len(words) {
				out, k.changes = joined(r.dir, words[n+1]), true
			}
		}
		k.paths = append(k.paths, out)
	case "env":
		if file := r.goEnvFile(); file != "" {
			k.paths = append(k.paths, joined(r.dir, file))
		}
	default:
		k.changes, k.anywhere = true, true
		k.paths = append(k.paths, path.Clean(r.dir))
		for _, w := range words[min(1, len(words)):] {
			k.paths = append(k.paths, pathsIn(r.dir, w)...)
		}
	}
}

// joined returns a path of the tree for a name in a line.
func joined(dir, name string) string {
	if name = tree.Slashed(name); path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join("/", dir, name)
}

// pathsIn returns the paths in a word: /a, ./a, a/b, and those behind = or a letter of an option.
// A list with colons, such as PATH, does not count.
func pathsIn(dir, word string) []string {
	if _, value, ok := strings.Cut(word, "="); ok {
		word = value
	} else if len(word) > 2 && word[0] == '-' && word[1] != '-' {
		word = word[2:]
	}
	if !strings.Contains(word, "/") || strings.ContainsAny(word, ":*? \n") {
		return nil
	}
	return []string{joined(dir, word)}
}

// skipLine passes over a whole RUN, of which not even the commands are known. What it asks of files
// may have no answer only since others were passed over before.
func (s *State) skipLine(c *instructions.RunCommand, text string, refusal error, before []*Skip) {
	k := &Skip{
		At: c.Location(), Text: fmt.Sprintf("RUN %.40s", text), Refusal: refusal, changes: true,
		anywhere: true, paths: []string{path.Clean(s.Dir())},
	}
	for _, w := range strings.FieldsFunc(text, func(r rune) bool {
		return strings.ContainsRune(" \t\r\n\"'`;&|()<>,", r)
	}) {
		k.paths = append(k.paths, pathsIn(s.Dir(), w)...)
	}
	if strings.Contains(text, "go env -") {
		k.paths = append(k.paths, goEnvFile)
	}
	all := output.Split(refusal)
	for i, e := range all {
		if errors.Is(e, errUnknown) {
			all[i] = unread(e)
		}
	}
	k.Refusal = errors.Join(all...)
	if len(all) == 1 && errors.Is(refusal, errUnknown) &&
		slices.ContainsFunc(before, func(k *Skip) bool { return k.Refusal != nil }) {
		s.guess, k.Refusal, k.Because = true, nil, slices.Clone(before)
	}
	s.AddSkip(k)
}
