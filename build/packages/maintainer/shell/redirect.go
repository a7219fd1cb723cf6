package shell

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect opens what a statement redirects. restore closes it and brings back what was there.
func (sh *Shell) redirect(ctx context.Context, list []*syntax.Redirect) (restore func() error, err error) {
	type saved struct {
		fd     int
		stream *Stream
		had    bool
	}
	var before []saved
	restore = func() error {
		var all error
		for n := len(before) - 1; n >= 0; n-- {
			b := before[n]
			gone := sh.streams[b.fd]
			if delete(sh.streams, b.fd); b.had {
				sh.streams[b.fd] = b.stream
			}
			all = errors.Join(all, sh.close(gone))
		}
		return all
	}
	for _, r := range list {
		set := func(fd int, s *Stream) {
			old, had := sh.streams[fd]
			before = append(before, saved{fd, old, had})
			if s == nil {
				delete(sh.streams, fd)
				return
			}
			sh.streams[fd] = s
		}
		if err := sh.redirectOne(ctx, r, set); err != nil {
			return restore, err
		}
	}
	return restore, nil
}

func (sh *Shell) redirectOne(ctx context.Context, r *syntax.Redirect, set func(int, *Stream)) error {
	fd, err := sh.descriptor(r)
	if err != nil {
		return err
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		text, err := sh.document(ctx, r)
		if err != nil {
			return err
		}
		set(fd, sh.NewReader([]byte(text)))
		return nil
	}
	name, err := sh.text(ctx, r.Word)
	if err != nil {
		return err
	}
	switch r.Op {
	case syntax.RdrIn:
		s, err := sh.openRead(name)
		if err != nil {
			return err
		}
		set(fd, s)
	case syntax.DplIn, syntax.DplOut:
		return sh.duplicate(fd, name, r, set)
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		s, err := sh.output(name, r.Op)
		if err != nil {
			return err
		}
		set(fd, s)
		if r.Op == syntax.RdrAll || r.Op == syntax.AppAll {
			set(2, s)
		}
	default:
		return sh.refuse("the redirection %s is not known here", r.Op)
	}
	return nil
}

// output opens a name that is written to.
func (sh *Shell) output(name string, op syntax.RedirOperator) (*Stream, error) {
	fd := -1
	switch name {
	case "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
		fd = 1
	case "/dev/stderr", "/dev/fd/2", "/proc/self/fd/2":
		fd = 2
	}
	if fd >= 0 {
		if s := sh.streams[fd]; s != nil {
			return s, nil
		}
		return sh.Null(), nil
	}
	if sh.Bash && (strings.HasPrefix(name, "/dev/tcp/") || strings.HasPrefix(name, "/dev/udp/")) {
		return nil, sh.refuse("%s is a connection, and nothing is connected here", name)
	}
	return sh.openWrite(name, op == syntax.AppOut || op == syntax.AppAll,
		sh.options["noclobber"] && op == syntax.RdrOut)
}

func (sh *Shell) descriptor(r *syntax.Redirect) (int, error) {
	if r.N != nil {
		fd, err := strconv.Atoi(r.N.Value)
		if err != nil || fd > 255 {
			return 0, sh.refuse("the descriptor %s is not known here", r.N.Value)
		}
		return fd, nil
	}
	switch r.Op {
	case syntax.RdrIn, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrInOut:
		return 0, nil
	}
	return 1, nil
}

func (sh *Shell) duplicate(fd int, name string, r *syntax.Redirect, set func(int, *Stream)) error {
	if name == "-" {
		set(fd, nil)
		return nil
	}
	from, err := strconv.Atoi(name)
	if err != nil {
		if sh.Bash && r.Op == syntax.DplOut && r.N == nil {
			s, err := sh.output(name, syntax.RdrAll)
			if err == nil {
				set(1, s)
				set(2, s)
			}
			return err
		}
		return sh.refuse("the redirection %s%s is not known here", r.Op, name)
	}
	s := sh.streams[from]
	if s == nil {
		return &failed{2 - oneIf(sh.Bash), name + ": Bad file descriptor"}
	}
	set(fd, s)
	return nil
}

// document returns the text of a here-document.
func (sh *Shell) document(ctx context.Context, r *syntax.Redirect) (string, error) {
	if r.Op == syntax.WordHdoc {
		text, err := sh.text(ctx, r.Word)
		return text + "\n", err
	}
	if r.Hdoc == nil {
		return "", nil
	}
	parts := r.Hdoc.Parts
	if r.Op == syntax.DashHdoc {
		parts = undented(parts)
	}
	for _, part := range r.Word.Parts {
		if lit, ok := part.(*syntax.Lit); !ok || strings.Contains(lit.Value, `\`) {
			return literal(parts), nil
		}
	}
	return sh.documentText(ctx, parts)
}

// undented returns a here-document of <<- without the tabs that its lines begin with.
func undented(parts []syntax.WordPart) []syntax.WordPart {
	list := make([]syntax.WordPart, len(parts))
	begins := true
	for n, part := range parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			list[n], begins = part, false
			continue
		}
		var b strings.Builder
		for _, line := range strings.SplitAfter(lit.Value, "\n") {
			if line == "" {
				break // what follows the last new line
			}
			if begins {
				line = strings.TrimLeft(line, "\t")
			}
			b.WriteString(line)
			begins = strings.HasSuffix(line, "\n")
		}
		c := *lit
		c.Value = b.String()
		list[n] = &c
	}
	return list
}

// literal returns the text of a here-document that is not expanded.
func literal(parts []syntax.WordPart) string {
	var b strings.Builder
	for _, part := range parts {
		if lit, ok := part.(*syntax.Lit); ok {
			b.WriteString(lit.Value)
		}
	}
	return b.String()
}

// stream returns what a descriptor refers to, which is nothing if it is closed.
func (sh *Shell) stream(fd int) *Stream {
	if s := sh.streams[fd]; s != nil {
		return s
	}
	return sh.Null()
}
