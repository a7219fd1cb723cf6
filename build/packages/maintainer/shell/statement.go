package shell

import (
	"context"
	"errors"

	"mvdan.cc/sh/v3/syntax"
)

func (sh *Shell) statements(ctx context.Context, list []*syntax.Stmt) error {
	for _, s := range list {
		if err := sh.statement(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// statement carries out one statement and leaves its status in sh.status.
func (sh *Shell) statement(ctx context.Context, s *syntax.Stmt) error {
	if err := sh.step(ctx); err != nil {
		return sh.located(err)
	}
	outer := sh.at
	sh.at = s.Pos()
	defer func() { sh.at = outer }()
	if s.Background || s.Coprocess || s.Disown {
		return sh.refuse("& starts a job in the background: no process is started here")
	}
	if s.Negated {
		sh.tested++
		err := sh.redirected(ctx, s)
		sh.tested--
		sh.status = oneIf(sh.status == 0)
		return sh.located(err)
	}
	if err := sh.redirected(ctx, s); err != nil {
		return sh.located(err)
	}
	if sh.status != 0 && sh.tested == 0 && sh.options["errexit"] && checked(s.Cmd) {
		return &jump{exiting, sh.status}
	}
	return nil
}

// checked reports whether set -e looks at a command itself, and not only at those in it.
func checked(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe || c.Op == syntax.PipeAll
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.Block, *syntax.FuncDecl:
		return false
	}
	return true
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// redirected carries out a statement with its redirections.
func (sh *Shell) redirected(ctx context.Context, s *syntax.Stmt) error {
	call, _ := s.Cmd.(*syntax.CallExpr)
	if call != nil {
		return sh.call(ctx, call, s.Redirs)
	}
	if decl, ok := s.Cmd.(*syntax.DeclClause); ok {
		return sh.withRedirects(ctx, s.Redirs, func() error { return sh.declare(ctx, decl) })
	}
	return sh.withRedirects(ctx, s.Redirs, func() error {
		if s.Cmd == nil {
			sh.status = 0
			return nil
		}
		return sh.command(ctx, s.Cmd)
	})
}

// withRedirects does something with other streams.
func (sh *Shell) withRedirects(ctx context.Context, list []*syntax.Redirect, do func() error) error {
	if len(list) == 0 {
		return do()
	}
	restore, err := sh.redirect(ctx, list)
	var f *failed
	if errors.As(err, &f) {
		sh.complain(f.text)
		sh.status = f.status
		return restore()
	}
	if err != nil {
		return errors.Join(err, restore())
	}
	err = do()
	if e := restore(); err == nil {
		err = e
	}
	return err
}

// complain writes a message of the shell itself.
func (sh *Shell) complain(text string) {
	sh.stream(2).Printf("%s: %d: %s\n", sh.Zero, sh.at.Line(), text)
}

// command carries out a compound command.
func (sh *Shell) command(ctx context.Context, c syntax.Command) error {
	switch c := c.(type) {
	case *syntax.Block:
		return sh.statements(ctx, c.Stmts)
	case *syntax.Subshell:
		return sh.subshell(ctx, c.Stmts)
	case *syntax.BinaryCmd:
		return sh.binary(ctx, c)
	case *syntax.IfClause:
		return sh.ifClause(ctx, c)
	case *syntax.WhileClause:
		return sh.while(ctx, c)
	case *syntax.ForClause:
		return sh.loop(ctx, c)
	case *syntax.CaseClause:
		return sh.caseClause(ctx, c)
	case *syntax.FuncDecl:
		if c.Name == nil {
			return sh.refuse("a function without a name")
		}
		sh.functions[c.Name.Value] = c.Body
		sh.status = 0
		return nil
	case *syntax.ArithmCmd:
		n, err := sh.arithmetic(ctx, c.X)
		sh.status = oneIf(n == 0)
		return err
	case *syntax.TestClause:
		ok, err := sh.condition(ctx, c.X)
		sh.status = oneIf(!ok)
		return err
	case *syntax.LetClause:
		return sh.let(ctx, c)
	}
	return sh.refuse("this statement is not known here")
}

func (sh *Shell) let(ctx context.Context, c *syntax.LetClause) error {
	for _, x := range c.Exprs {
		n, err := sh.arithmetic(ctx, x)
		if err != nil {
			return err
		}
		sh.status = oneIf(n == 0)
	}
	return nil
}

// subshell carries out statements in a shell of their own.
func (sh *Shell) subshell(ctx context.Context, list []*syntax.Stmt) error {
	sub := sh.fork()
	status, err := sub.run(ctx, list)
	sh.status = status
	return err
}

// run carries out the statements of a subshell to its end.
func (sh *Shell) run(ctx context.Context, list []*syntax.Stmt) (int, error) {
	if err := sh.enter(); err != nil {
		return 0, sh.located(err)
	}
	defer sh.leave()
	return sh.ended(ctx, sh.statements(ctx, list))
}

func (sh *Shell) binary(ctx context.Context, c *syntax.BinaryCmd) error {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		sh.tested++
		err := sh.statement(ctx, c.X)
		sh.tested--
		if err != nil || (sh.status == 0) != (c.Op == syntax.AndStmt) {
			return err
		}
		return sh.statement(ctx, c.Y)
	case syntax.Pipe, syntax.PipeAll:
		return sh.pipe(ctx, c)
	}
	return sh.refuse("the operator %s is not known here", c.Op)
}

// pipe runs the left side to its end and gives its output to the right side.
func (sh *Shell) pipe(ctx context.Context, c *syntax.BinaryCmd) error {
	between := sh.NewBuffer()
	left := sh.fork()
	left.streams[1] = between
	if c.Op == syntax.PipeAll {
		left.streams[2] = between
	}
	first, err := left.run(ctx, []*syntax.Stmt{c.X})
	if err != nil {
		return err
	}
	right := sh.fork()
	right.streams[0] = between.reader()
	status, err := right.run(ctx, []*syntax.Stmt{c.Y})
	if status == 0 && sh.options["pipefail"] {
		status = first
	}
	sh.status = status
	return err
}
