package run

import (
	"fmt"
	"io"

	"github.com/slipway-dev/slipway/containerfile/mistake"
	"github.com/slipway-dev/slipway/containerfile/script"
	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
)

// print writes the output of the current command into its file, if it has one.
func (r *runner) print(text string) {
	out := r.command().Output
	if out == nil {
		return
	}
	s := r.target(out.File.Text)
	if out.Append {
		r.known(s)
	}
	if s.n == nil {
		r.make(s.p, file(0o644, []byte(text)))
		return
	}
	expressible(s.name, s.n)
	k, old := withContent(s.n, []byte(text)), s.n
	if out.Append {
		k.Content = func() (layer.Content, error) { return appended(old, text) }
	}
	check(r.t.Change(s.p, k))
}

// target is find for a file that is written, or a link to it.
func (r *runner) target(name string) lookup {
	s := r.find(name, true)
	if s.slash || s.is(layer.Dir) {
		fail("%s is a directory", name)
	}
	return s
}

// maxAppended bounds a file that something is appended to, in bytes.
const maxAppended = 16 << 20

func appended(n *tree.Node, text string) (layer.Content, error) {
	c, err := n.Content()
	if err != nil {
		return c, err
	}
	if c.Size > maxAppended {
		return c, fmt.Errorf("text is appended to a file of more than %d bytes: COPY the whole", maxAppended)
	}
	f, err := c.Open()
	if err != nil {
		return c, err
	}
	defer f.Close()
	all, err := io.ReadAll(f)
	return layer.Bytes(append(all, text...)), err
}

// prints returns what a command prints, with those that are piped into it.
func (r *runner) prints(c script.Command) string {
	k, ok := printer(c.Args[0].Text)
	if !ok {
		check(notPrinted(c.Args[0].Text))
	}
	var o options
	words := r.words(c)
	if !k.plain {
		var err error
		o, words, err = k.parse(words)
		check(err)
	}
	text := k.print(r, o, words, func() string { return r.input(c) })
	if len(text) > maxText {
		fail("it prints more than %d bytes", maxText)
	}
	return text
}

// input returns the text from the pipe of a command.
func (r *runner) input(c script.Command) string {
	if c.Input == nil {
		fail("it has no input: pipe a command into it, or name a file")
	}
	return r.prints(*c.Input)
}

// direct is a command that only prints what it says itself.
func direct(text func(*runner, options, []string, func() string) string) func(*runner, options, []string) {
	return func(r *runner, o options, args []string) { r.print(text(r, o, args, nil)) }
}

// printed is a command that only prints.
func printed(r *runner, _ options, _ []string) { r.print(r.prints(r.command())) }

func notPrinted(name string) error {
	return mistake.At(name, "RUN %s: its output is unknown: write the text with echo or printf", name)
}

// refuseInput reports a command before | whose output is not known.
func refuseInput(c script.Command) error {
	for in := c.Input; in != nil; in = in.Input {
		if _, ok := printer(in.Args[0].Text); !ok {
			return notPrinted(in.Args[0].Text)
		}
	}
	return nil
}

// maxText bounds a file of checksums, and every other that a command reads or prints, in bytes.
const maxText = 1 << 20

// readText returns the text of a small file.
func (r *runner) readText(name string) string {
	s := r.file(name, true)
	if s.p == r.writes {
		failAt(name, "RUN %s: %s is read and written by the same command: write another file", r.name(), name)
	}
	c := r.content(s)
	if c.Size > maxText {
		fail("%s has more than %d bytes", name, maxText)
	}
	f := must(c.Open())
	defer f.Close()
	return string(must(io.ReadAll(f)))
}

// content returns the content of a file, which a check may not have.
func (r *runner) content(s lookup) layer.Content {
	if !s.is(layer.Regular) {
		fail("%s is not a file", s.name)
	}
	c := must(s.n.Content())
	if c.Open == nil {
		fail("%s: %w", s.name, errLater)
	}
	return c
}
