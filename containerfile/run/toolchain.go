package run

import (
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// setUp are commands that prepare a toolchain: packages and accounts of its system, and the
// settings of git. None changes a source, or a program that is compiled without cgo.
var setUp = []string{
	"apk", "apt-get", "apt", "yum", "dnf", "microdnf", "tdnf", "zypper", "update-ca-certificates",
	"adduser", "addgroup", "useradd", "groupadd", "git", "xx-apk", "xx-apt", "xx-apt-get", "xx-verify", "xx-info",
}

func skipCommand(r *runner, _ options, args []string) {
	if path.Base(r.name()) == "git" && (len(args) == 0 || args[0] != "config") {
		check(refused{mistake.At(r.name(), "RUN git: no command is run here: %s", r.s.ways(elsewhere("git")))})
	}
	r.skip(nil)
}

// Compiles reports whether a RUN has a command by which a stage is a toolchain.
func Compiles(c *instructions.RunCommand) bool {
	return slices.ContainsFunc(names(c), func(name string) bool {
		return compilers(name) || slices.Contains(setUp, name) && !isSystem(name)
	})
}

func compilers(name string) bool { return name == "go" || name == "xx-go" || name == "make" }

// names returns the names of all commands of a RUN, without their directories.
func names(c *instructions.RunCommand) (all []string) {
	line, words := Script(c)
	n := len(words)
	switch {
	case words == nil:
		all = slices.Clone(script.Names(line))
	case n > 2 && strings.HasSuffix(words[0].Text, "sh") && strings.HasPrefix(words[1].Text, "-"):
		all = slices.Clone(script.Names(words[n-1].Text))
	case n > 0:
		all = []string{words[0].Text}
	}
	for n, name := range all {
		all[n] = path.Base(name)
	}
	return all
}

// Script returns the text of a RUN that a shell reads, or the words of one that none does.
func Script(c *instructions.RunCommand) (text string, words []script.Value) {
	if !c.PrependShell {
		for _, w := range c.CmdLine {
			words = append(words, script.Value{Text: w, Source: w, Known: true})
		}
		return "", words
	}
	text = strings.Join(c.CmdLine, " ")
	if len(c.Files) > 0 && strings.HasPrefix(strings.TrimSpace(text), "<<") {
		return c.Files[0].Data, nil
	}
	for _, f := range c.Files { // which a command of the line reads
		text += "\n" + f.Data + f.Name
	}
	return text, nil
}

// systemDirs are directories whose files no stage knows wholly without its base.
var systemDirs = []string{
	"bin", "boot", "etc", "home", "lib", "lib32", "lib64", "opt", "root", "sbin",
	"srv", "usr", "var", "windows", "program files", "users",
}

// Made reports whether a stage that is a toolchain has made the file at p, or the directory with
// all files in it. Of a directory that the base has or may have, only a part is known.
func (s *State) Made(p string) bool {
	at, n, err := tree.Resolve(s.Tree, p)
	if err != nil || n == nil || at == "/" {
		return false
	}
	if len(s.Writers(at, n)) > 0 {
		return false
	}
	if n.Kind != layer.Dir || s.Tree.Hidden(at) {
		return true
	}
	for dir := range s.Tree.Assumed {
		if tree.Within(at, dir) || tree.Within(dir, at) {
			return false
		}
	}
	return !SystemPath(at)
}

// tolerates reports whether a command of a toolchain failed that only removes files of its base.
func (s *State) tolerates(c script.Command, err error) bool {
	return s.Toolchain && errors.Is(err, errUnknown) && path.Base(c.Args[0].Text) == "rm"
}
