package dockerfile

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/instructions"

	"github.com/slipway-dev/slipway/build/dockerfile/script"
	"github.com/slipway-dev/slipway/build/layer"
)

// A stage that is not a part of the image and compiles programs is a toolchain: the programs are
// compiled by Slipway, and the base, such as golang, is not needed. It is read only if a file is
// copied that no instruction of the stage has made.

// setUp are commands that prepare a toolchain: packages and accounts of its system, and the
// settings of git. They change no source and no program that is compiled without cgo.
var setUp = []string{
	"apk", "apt-get", "apt", "yum", "dnf", "microdnf", "tdnf", "zypper", "update-ca-certificates",
	"adduser", "addgroup", "useradd", "groupadd", "git", "xx-apk", "xx-apt", "xx-apt-get", "xx-verify", "xx-info",
}

func passOver(r *runner, _ options, args []string) error {
	name := r.commands[r.at].Args[0].Text
	if path.Base(name) == "git" && (len(args) == 0 || args[0] != "config") {
		return refused{located{name, fmt.Errorf("RUN git: no command is run here: %s", elsewhere("git"))}}
	}
	r.pass(nil)
	return nil
}

// compiles reports whether a RUN has a command by which a stage is a toolchain.
func compiles(c *instructions.RunCommand) bool {
	line := c.CmdLine
	if c.PrependShell {
		text := strings.Join(line, " ")
		if len(c.Files) > 0 && strings.HasPrefix(strings.TrimSpace(text), "<<") {
			text = c.Files[0].Data
		}
		line = []string{text}
	}
	var names []string
	switch n := len(line); {
	case n == 0:
	case c.PrependShell, n > 2 && strings.HasSuffix(line[0], "sh") && strings.HasPrefix(line[1], "-"):
		names = script.Names(line[n-1])
	default:
		names = line[:1]
	}
	return slices.ContainsFunc(names, func(name string) bool {
		name = path.Base(name)
		return name == "go" || name == "xx-go" || name == "make" || slices.Contains(setUp, name)
	})
}

// findToolchains marks the stages that are toolchains: all that start from one base, if none is a
// part of the target and one of them compiles or sets up.
func (b *builder) findToolchains(target *stage) {
	root := func(s *stage) *stage {
		for s.from != nil {
			s = s.from
		}
		return s
	}
	shipped, marked := root(target), map[*stage]bool{}
	for _, s := range b.stages {
		for _, c := range s.commands {
			if run, ok := c.Command.(*instructions.RunCommand); ok && root(s) != shipped && compiles(run) {
				marked[root(s)] = true
			}
		}
	}
	for _, s := range b.stages {
		s.toolchain = marked[root(s)]
	}
}

// beginToolchain gives a stage the configuration that golang's images have.
func (s *stage) beginToolchain() {
	s.tree = s.newTree(nil)
	s.tree.below = func() (*tree, error) { return newTree(nil), nil }
	s.tree.open = true
	s.env = newEnvironment(nil)
	s.env.unread, s.env.golang = s.base, isGolang(s.base)
	s.config.WorkingDir = "/go"
	s.config.Env = []string{"GOPATH=/go", "PATH=/go/bin:/usr/local/go/bin:" + defaultPath}
	if s.windows() {
		s.config.WorkingDir = `C:\go`
		s.config.Env = []string{`GOPATH=C:\go`}
	}
}

// systemDirs are directories whose files no stage knows wholly without its base.
var systemDirs = []string{"bin", "boot", "etc", "home", "lib", "lib32", "lib64", "opt", "root", "sbin", "srv", "usr", "var", "windows", "program files", "users"}

// made reports whether a stage that is a toolchain has made what is at p: a file, or a directory
// with all that is in it. Of one that the base must have, or may have, only a part is known.
func (s *stage) made(p string) bool {
	at, n, err := resolve(s.tree, p)
	if err != nil || n == nil || at == "/" {
		return false
	}
	if len(s.doubts(at, n)) > 0 {
		return false
	}
	if n.kind != layer.Dir || s.tree.hidden(at) {
		return true
	}
	for dir := range s.tree.assumed {
		if within(at, dir) || within(dir, at) {
			return false
		}
	}
	top, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(at, "/")), "/")
	return !slices.Contains(systemDirs, top)
}

// within reports whether p is dir or below it.
func within(p, dir string) bool {
	return p == dir || strings.HasPrefix(p, strings.TrimSuffix(dir, "/")+"/")
}

// complete puts the files of the base under a toolchain of which something else is copied than it
// has made.
func (b *builder) complete(ctx context.Context, s *stage, paths []string) error {
	for _, p := range paths {
		if strings.ContainsAny(p, "*?[") {
			p, _, _ = strings.Cut(p, "*")
			p = path.Dir(p)
		}
		at, n, err := resolve(s.tree, path.Join("/", slashed(p)))
		if err != nil {
			return err
		}
		if doubts := s.doubts(at, n); len(doubts) > 0 {
			return b.doubted(s, p, at, n, doubts)
		}
		if s.completed || s.tree.later || s.made(path.Join("/", slashed(p))) {
			continue
		}
		base, img, err := b.image(ctx, s.base, s.platform)
		if err != nil {
			return fmt.Errorf("%s is not made in the stage %s, and is looked for in its base: %w", p, s.title(), err)
		}
		b.refers(s.Location, s.BaseName, base, s.platform)
		s.completed = true
		if base.Image == nil {
			return nil
		}
		s.baseImage, s.tree.below, s.tree.open = base, img.files, img.open
	}
	return nil
}

// tools reports whether a COPY takes tools of another image into the system of a toolchain, such as
// COPY --from=xx / /. They are not needed, and their image is not asked for.
func (b *builder) tools(s *stage, c *instructions.CopyCommand) bool {
	if c.From == "" {
		return false
	}
	other := b.find(c.From)
	_, context := b.in.Contexts[c.From]
	dest, err := s.destination(c.DestPath)
	top, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(dest, "/")), "/")
	return err == nil && !context && (other == nil || len(other.commands) == 0 && other.from == nil && other.index < s.index) &&
		(top == "" || slices.Contains(systemDirs, top))
}

func (s *stage) title() string {
	if s.Name != "" {
		return s.Name
	}
	return fmt.Sprint(s.index)
}

// program notes the programs among the files that the target gets.
func (b *builder) program(s *stage, entries []layer.Entry) {
	if s.toolchain || b.shipped == nil || !slices.Contains(b.shipped, s) {
		return
	}
	for _, e := range entries {
		n := s.tree.nodes[e.Path]
		if n == nil || n.build == nil {
			continue
		}
		b.builds = append(b.builds, *n.build)
	}
}

// tolerates reports whether a command of a toolchain failed that only removes files of its base.
func (s *stage) tolerates(c script.Command, err error) bool {
	return s.toolchain && errors.Is(err, errUnknown) && path.Base(c.Args[0].Text) == "rm"
}
