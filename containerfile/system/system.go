// Package system changes the files of a tree as the administrative programs of a Linux distribution
// do that Dockerfiles call: accounts, and capabilities of files. The package runs no program and
// reads nothing of this machine: the day of a password's last change is [System.Day].
package system

import (
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// System is the root file system that programs change.
type System struct {
	Tree *tree.Tree
	// Day is the current day, counted from 1970-01-01. Programs write it into /etc/shadow.
	Day int
}

// Options are those of one command line, with their values, by letter.
type Options map[string]string

func (o Options) has(key string) bool {
	_, ok := o[key]
	return ok
}

// Program carries out one program with its options and operands. An [*Exit] means that the real
// program ends with a status other than zero, and any other error that it is not supported.
type Program func(s *System, o Options, args []string) error

// Exit is the end of a program with a status other than zero.
type Exit struct {
	Program string
	Code    int
	Text    string // what it prints on standard error
}

func (e *Exit) Error() string { return e.Program + ": " + e.Text }

// ErrUnread is about a file whose content is not at hand: a check does not unpack archives or
// download files.
var ErrUnread = errors.New("a check does not read it")

// programs are all that are known, by name.
var programs = map[string]Program{"useradd": useradd, "groupadd": groupadd, "setcap": setcap}

// Command returns the program of a name.
func Command(name string) (Program, bool) {
	p, ok := programs[name]
	return p, ok
}

func fail(program string, code int, format string, args ...any) error {
	return &Exit{Program: program, Code: code, Text: fmt.Sprintf(format, args...)}
}

// stat returns the file that a path leads to, nil where nothing is.
func (s *System) stat(p string) (*tree.Node, error) {
	_, n, err := tree.Resolve(s.Tree, p)
	return n, err
}

// itself returns where a path is, without following a link at its end.
func (s *System) itself(p string) (string, error) {
	dir, err := tree.Follow(s.Tree, path.Dir(p))
	return path.Join(dir, path.Base(p)), err
}

// read returns the text of a file, nil where there is none.
func (s *System) read(p string) ([]byte, error) {
	n, err := s.stat(p)
	if err != nil || n == nil {
		return nil, err
	}
	if n.Kind == layer.Regular && n.Odd == "" {
		c, err := n.Content()
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", p, err)
		}
		if c.Open == nil && c.Size > 0 || n.Stub {
			return nil, fmt.Errorf("reading %s: %w", p, ErrUnread)
		}
	}
	return tree.ReadText(s.Tree, p)
}

// make puts a new file at a path whose directory exists, with the group of a directory that has
// the setgid bit, as Linux does.
func (s *System) make(p string, n *tree.Node) error {
	dir, d, err := tree.Resolve(s.Tree, path.Dir(p))
	switch {
	case err != nil:
		return err
	case d == nil:
		return fmt.Errorf("directory %s does not exist: make it before", path.Dir(p))
	case d.Kind != layer.Dir:
		return fmt.Errorf("%s is not a directory", path.Dir(p))
	}
	if d.Mode&fs.ModeSetgid != 0 {
		k := *n
		k.GID = d.GID
		if k.Kind == layer.Dir {
			k.Mode |= fs.ModeSetgid
		}
		n = &k
	}
	return s.Tree.Set(path.Join(dir, path.Base(p)), n)
}
