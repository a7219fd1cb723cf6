package system

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// realShell is a path whose directories are followed.
func (s *System) realShell(p string) (string, error) {
	dir, err := tree.Follow(s.Tree, path.Dir(p))
	return path.Join(dir, path.Base(p)), err
}

// addShell is that of debianutils.
func addShell(_ context.Context, s *System, args []string, _ io.Writer) error {
	return s.editShells("add-shell", args, func(lines []string, shell string) []string {
		if slices.Contains(lines, shell) {
			return lines
		}
		return append(lines, shell)
	})
}

// removeShell is that of debianutils.
func removeShell(_ context.Context, s *System, args []string, _ io.Writer) error {
	return s.editShells("remove-shell", args, func(lines []string, shell string) []string {
		return slices.DeleteFunc(lines, func(l string) bool { return l == shell })
	})
}

func (s *System) editShells(me string, args []string, edit func(lines []string, shell string) []string) error {
	text, err := s.read("/etc/shells")
	if err != nil {
		return err
	}
	if len(args) == 0 || text == nil {
		return fail(me, 1, "it needs a shell, and /etc/shells")
	}
	lines := splitLines(string(text))
	for _, shell := range args {
		if !path.IsAbs(shell) || strings.HasPrefix(shell, "-") {
			return fmt.Errorf("%s: %s is not an absolute path: write one", me, shell)
		}
		at, err := s.realShell(shell)
		if err != nil {
			return err
		}
		lines = edit(edit(lines, shell), at)
	}
	return s.Tree.WriteText("/etc/shells", joinLines(lines), 0o644)
}

func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

func joinLines(lines []string) []byte {
	if len(lines) == 0 {
		return nil
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// updateShells is that of debianutils: it adds the shells of packages to /etc/shells, and removes
// those whose packages are gone.
func updateShells(_ context.Context, s *System, args []string, _ io.Writer) error {
	const state, target, template = "/var/lib/shells.state", "/etc/shells", "/usr/share/debianutils/shells"
	act := true
	for _, w := range args {
		switch w {
		case "--verbose":
		case "--no-act":
			act = false
		default:
			return syntax{program: "update-shells"}.unknown(w)
		}
	}
	packaged, err := s.packagedShells(template)
	if err != nil || !act {
		return err
	}
	old, err := s.read(state)
	if err != nil {
		return err
	}
	known := shellsOf(string(old))
	source := target
	if gone, err := s.missing(target); err != nil {
		return err
	} else if gone {
		source = template
	}
	text, err := s.read(source)
	if err != nil {
		return err
	}
	if text == nil {
		return fail("update-shells", 1, "cannot open %s", source)
	}
	var lines, shells []string
	for _, line := range splitLines(string(text)) {
		shell, _, _ := strings.Cut(line, "#")
		keep := shell == "" || slices.Contains(packaged, shell) || !slices.Contains(known, shell)
		if keep && (shell == "" || !slices.Contains(shells, shell)) {
			lines, shells = append(lines, line), append(shells, shell)
		}
	}
	for _, shell := range packaged {
		if !slices.Contains(shells, shell) && !slices.Contains(known, shell) {
			lines = append(lines, shell)
		}
	}
	if err := s.Tree.WriteText(target, joinLines(lines), 0o644); err != nil {
		return err
	}
	return s.Tree.WriteText(state, joinLines(packaged), 0o644)
}

// shellsOf returns the shells of a text, without comments.
func shellsOf(text string) []string {
	var list []string
	for _, line := range splitLines(text) {
		if shell, _, _ := strings.Cut(line, "#"); shell != "" {
			list = append(list, shell)
		}
	}
	return list
}

// packagedShells returns the shells of all packages, each also by the path that it really has.
func (s *System) packagedShells(template string) ([]string, error) {
	files := []string{template}
	at, n, err := tree.Resolve(s.Tree, template+".d")
	if err != nil {
		return nil, err
	}
	if n != nil && n.Kind == layer.Dir {
		names, err := s.Tree.ReadDir(at)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if name[0] != '.' {
				files = append(files, path.Join(at, name))
			}
		}
	}
	script, err := s.read("/usr/sbin/update-shells")
	if err != nil {
		return nil, err
	}
	// newer ones list each shell once
	once := strings.Contains(string(script), `hashset_contains "$PKG_SHELLS" "$line"`)
	var list []string
	add := func(shell string) {
		if !once || !slices.Contains(list, shell) {
			list = append(list, shell)
		}
	}
	for _, f := range files {
		if ok, err := s.is(f, layer.Regular); err != nil || !ok {
			if err != nil {
				return nil, err
			}
			continue
		}
		text, err := s.read(f)
		if err != nil {
			return nil, err
		}
		for _, shell := range shellsOf(string(text)) {
			add(shell)
			at, err := s.realShell(shell)
			if err != nil {
				return nil, err
			}
			if at != shell {
				add(at)
			}
		}
	}
	return list, nil
}
