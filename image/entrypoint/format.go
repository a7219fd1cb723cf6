package entrypoint

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/image/executable"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// maxScripts is how many scripts Linux starts one by another (exec_binprm of fs/exec.c).
const maxScripts = 5

// read looks at a program itself, if it is in the image's own layers: a base has what its files
// need. depth is how many scripts it is the interpreter of.
func (i Image) read(shown, p string, depth int) (Fault, error) {
	spelled, err := i.Tree.Spelled(p)
	n := i.Tree.Nodes[spelled]
	if err != nil || n == nil || n.Stub || i.Check {
		return Fault{}, err
	}
	c, err := n.Content()
	if err != nil {
		return Fault{}, err
	}
	r, err := c.Open()
	if err != nil {
		return Fault{}, err
	}
	defer r.Close()
	b := bufio.NewReaderSize(r, executable.Head)
	head, err := b.Peek(executable.Head)
	if err != nil && !errors.Is(err, io.EOF) {
		return Fault{}, err
	}
	if err := i.starts(spelled, head, c.Size); err != nil {
		return Fault{Kind: Differs, Text: err.Error(), Certain: true}, nil
	}
	if i.On.OS == platform.Windows {
		return Fault{}, nil
	}
	if bytes.HasPrefix(head, []byte("#!")) {
		why, err := i.unread(shown, n)
		switch {
		case err != nil || why != "":
			return Fault{Kind: Mode, Certain: true, Text: why}, err
		case depth == maxScripts:
			return Fault{Kind: Interpreter, Text: fmt.Sprintf("it leads through more than %d scripts", depth)}, nil
		}
	}
	why, err := i.interpreted(shown, head, depth)
	if why == "" {
		return Fault{}, err
	}
	return Fault{Kind: Interpreter, Text: why}, err
}

// starts returns why the platform does not start a file of size bytes, by its head: execve(2) and
// CreateProcess know formats, and no file without one.
func (i Image) starts(name string, head []byte, size int64) error {
	s, ok, err := executable.Read(bytes.NewReader(head))
	if err != nil {
		return err
	}
	if ok {
		if err := executable.Fits(s, i.On); err != nil {
			return err
		}
		if ends := executable.End(head); ends > size {
			return fmt.Errorf("it has %d bytes, and its headers name %d: it was cut short, so make it anew", size, ends)
		}
		return nil
	}
	const mark = "\xef\xbb\xbf"
	switch {
	case size == 0:
		return errors.New("the file is empty: copy the program itself")
	case i.On.OS == platform.Windows:
		return notWindows(name, head)
	case bytes.HasPrefix(head, []byte("#!")):
		return firstLine(head)
	case bytes.HasPrefix(head, []byte(mark+"#!")):
		return errors.New("a byte order mark is before its #!: save it without one")
	case bytes.HasPrefix(head, []byte("MZ")):
		return fmt.Errorf("it is a program for DOS, Windows or .NET, and the image is for %s/%s",
			i.On.OS, i.On.Architecture)
	case bytes.HasPrefix(head, []byte("\x7fELF")):
		return errors.New("it is an ELF file, but no program: an object file, or one that was cut short")
	}
	return errors.New("it is neither a program nor a script whose first line is #! and its interpreter: " +
		"Linux does not start it")
}

// firstLine returns an error for the first line of a script that Linux cannot read.
func firstLine(head []byte) error {
	by, argument, err := executable.Interpreter(bytes.NewReader(head))
	switch {
	case err != nil:
		return err
	case by == "":
		return errors.New("its first line is #! without an interpreter: name one, such as #!/bin/sh")
	case strings.HasSuffix(by+argument, "\r"):
		return errors.New("its first line ends with a carriage return, which Linux takes for a part of it: " +
			"save it with the line ends of Unix")
	}
	return nil
}

// notWindows returns why CreateProcess does not start a file by its extension: .NET programs have
// other headers than [executable.Read] knows, and batch files have no header.
func notWindows(name string, head []byte) error {
	x := strings.ToLower(path.Ext(name))
	if bytes.HasPrefix(head, []byte("MZ")) || x != ".exe" && x != ".com" {
		return nil
	}
	return fmt.Errorf("it is not a program for Windows, although it ends in %s: copy the program itself", x)
}

// interpreted returns why the interpreter of a script, or the loader of a program with shared
// libraries, cannot be started.
func (i Image) interpreted(shown string, head []byte, depth int) (why string, err error) {
	by, argument, err := executable.Interpreter(bytes.NewReader(head))
	if err != nil || by == "" {
		return "", err
	}
	why, err = i.needed(shown, absolute(i.directory(), by), depth)
	if why != "" || err != nil || path.Base(by) != "env" {
		return why, err
	}
	name := envProgram(argument)
	switch {
	case argument == "":
		return shown + " names no program for env: write #!" + by + " and its name", nil
	case name == "":
		return "", nil
	case strings.Contains(name, "/"):
		return i.needed(shown, absolute(i.directory(), name), depth)
	}
	candidates := i.candidates(name)
	for _, p := range candidates[:min(len(candidates), maxCandidates)] {
		_, n, err := tree.Resolve(i.Tree, p)
		if err != nil && !tree.Loops(err) || n != nil && n.Kind == layer.Regular {
			return "", err
		}
	}
	if strings.Contains(name, " ") {
		return fmt.Sprintf("%s needs %q to start, which no directory of PATH has: "+
			"Linux gives env the words as one, so write #!%s -S", shown, name, by), nil
	}
	return fmt.Sprintf("%s needs %s to start, which no directory of PATH has: name a base that has it", shown,
		name), nil
}

// needed returns why the program at an absolute path cannot start the program that is shown.
func (i Image) needed(shown, by string, depth int) (why string, err error) {
	to, n, err := tree.Resolve(i.Tree, by)
	switch {
	case tree.Loops(err):
		return fmt.Sprintf("%s needs %s: %v", shown, by, err), nil
	case err != nil:
		return "", err
	case n == nil:
		return fmt.Sprintf("%s needs %s to start, which the image does not have: name a base that has it, "+
			"or build the program so that it needs none (CGO_ENABLED=0 in Go)", shown, by), nil
	case n.Kind != layer.Regular || n.Odd != "":
		return fmt.Sprintf("%s needs %s to start, which is not a file: name its interpreter", shown, by), nil
	}
	if why, err = i.forbidden(by, to, n); why != "" || err != nil {
		return fmt.Sprintf("%s needs %s to start, and %s", shown, by, why), err
	}
	f, err := i.read(by, to, depth+1)
	if f.Text == "" || err != nil {
		return "", err
	}
	return fmt.Sprintf("%s needs %s to start: %s", shown, by, f.Text), nil
}

// envProgram returns the program that env(1) starts by the words behind it, which Linux gives it as
// one; "" if that is not certain.
func envProgram(argument string) string {
	rest, split := strings.CutPrefix(argument, "-S")
	if !split {
		rest, split = strings.CutPrefix(argument, "--split-string=")
	}
	words := []string{argument}
	if split {
		words = strings.Fields(rest)
	}
	for _, w := range words {
		switch {
		case strings.HasPrefix(w, "-") || strings.HasPrefix(w, "PATH=") || strings.ContainsAny(w, `"'\$`):
			return ""
		case !strings.Contains(w, "="):
			return w
		}
	}
	return ""
}
