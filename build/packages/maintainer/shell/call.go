package shell

import (
	"context"
	"errors"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// call carries out a simple command: assignments, words and redirections.
func (sh *Shell) call(ctx context.Context, c *syntax.CallExpr, redirects []*syntax.Redirect) error {
	sh.subst = 0
	args, err := sh.arguments(ctx, c.Args)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return sh.assignments(ctx, c, redirects)
	}
	name := args[0]
	if name == "command" && len(args) > 1 && !strings.HasPrefix(args[1], "-") {
		args = args[1:]
		return sh.dispatch(ctx, c, args, redirects, false)
	}
	if name == "exec" && !slices.Contains(args, "--help") {
		return sh.exec(ctx, c, args[1:], redirects)
	}
	return sh.dispatch(ctx, c, args, redirects, true)
}

// dispatch finds out what a name means, and does that.
func (sh *Shell) dispatch(
	ctx context.Context, c *syntax.CallExpr, args []string, redirects []*syntax.Redirect, functions bool,
) error {
	builtin := sh.builtin(args[0])
	body := sh.functions[args[0]]
	if !functions || builtin.special && !sh.Bash {
		body = nil
	}
	if builtin.special && body == nil {
		for _, a := range c.Assigns {
			if err := sh.assignment(ctx, a); err != nil {
				return err
			}
		}
		restore, err := sh.redirect(ctx, redirects)
		if err == nil {
			err = builtin.run(ctx, sh, args)
		}
		return sh.forgiven(errors.Join(err, restore()))
	}
	restore, err := sh.temporary(ctx, c.Assigns)
	if err != nil {
		return err
	}
	defer restore()
	return sh.withRedirects(ctx, redirects, func() error {
		switch {
		case body != nil:
			return sh.function(ctx, args, body)
		case builtin.run != nil && (!builtin.bash || sh.Bash):
			return builtin.run(ctx, sh, args)
		}
		return sh.program(ctx, args)
	})
}

// forgiven turns the failure of a special builtin into its status, which does not end bash.
func (sh *Shell) forgiven(err error) error {
	var f *failed
	if !sh.Bash || !errors.As(err, &f) {
		return err
	}
	sh.complain(f.text)
	sh.status = f.status
	return nil
}

// assignments carries out a command that has no words.
func (sh *Shell) assignments(ctx context.Context, c *syntax.CallExpr, redirects []*syntax.Redirect) error {
	err := sh.withRedirects(ctx, redirects, func() error {
		for _, a := range c.Assigns {
			if err := sh.assignment(ctx, a); err != nil {
				return err
			}
		}
		sh.status = sh.subst
		return nil
	})
	return err
}

func (sh *Shell) assignment(ctx context.Context, a *syntax.Assign) error {
	if a.Array != nil || a.Index != nil {
		return sh.assignList(ctx, a)
	}
	text, err := sh.text(ctx, a.Value)
	if err != nil {
		return err
	}
	if a.Append {
		text = sh.value(a.Name.Value) + text
	}
	return sh.assign(a.Name.Value, text)
}

// temporary sets variables for one command.
func (sh *Shell) temporary(ctx context.Context, list []*syntax.Assign) (restore func(), err error) {
	before := map[string]variable{}
	restore = func() {
		for name, v := range before {
			if !v.set && !v.exported {
				delete(sh.vars, name)
				continue
			}
			sh.vars[name] = v
		}
	}
	for _, a := range list {
		name := a.Name.Value
		if _, done := before[name]; !done {
			before[name] = sh.vars[name]
		}
		if err := sh.assignment(ctx, a); err != nil {
			restore()
			return nil, err
		}
		v := sh.vars[name]
		v.exported = true
		sh.vars[name] = v
	}
	return restore, nil
}

// function calls a function.
func (sh *Shell) function(ctx context.Context, args []string, body *syntax.Stmt) error {
	if err := sh.enter(); err != nil {
		return sh.located(err)
	}
	defer sh.leave()
	params, loops := sh.Params, sh.loops
	sh.Params, sh.loops = args[1:], 0
	sh.locals = append(sh.locals, map[string]*variable{})
	defer func() {
		for name, v := range sh.locals[len(sh.locals)-1] {
			if v == nil {
				delete(sh.vars, name)
			} else {
				sh.vars[name] = *v
			}
		}
		sh.locals = sh.locals[:len(sh.locals)-1]
		sh.Params, sh.loops = params, loops
	}()
	err := sh.statement(ctx, body)
	var j *jump
	if asJump(err, &j) && j.kind == returning {
		sh.status = j.n
		return nil
	}
	return err
}

// program calls what is not the shell's own.
func (sh *Shell) program(ctx context.Context, args []string) error {
	if err := sh.flush(); err != nil {
		return err
	}
	c := &Call{Shell: sh, Args: args, In: sh.stream(0), Out: sh.stream(1), Err: sh.stream(2)}
	status, err := sh.Run(ctx, c)
	sh.status = status
	return err
}

// exec keeps its redirections, or ends the shell with a command.
func (sh *Shell) exec(ctx context.Context, c *syntax.CallExpr, args []string, redirects []*syntax.Redirect) error {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) > 0 {
		if err := sh.dispatchProgram(ctx, c, args, redirects); err != nil {
			return err
		}
		return &jump{exiting, sh.status}
	}
	_, err := sh.redirect(ctx, redirects)
	var f *failed
	if err == nil || !errors.As(err, &f) {
		sh.status = 0
	}
	return err
}

func (sh *Shell) dispatchProgram(
	ctx context.Context, c *syntax.CallExpr, args []string, redirects []*syntax.Redirect,
) error {
	restore, err := sh.temporary(ctx, c.Assigns)
	if err != nil {
		return err
	}
	defer restore()
	return sh.withRedirects(ctx, redirects, func() error {
		if b := sh.builtin(args[0]); b.run != nil && b.program {
			return b.run(ctx, sh, args)
		}
		return sh.program(ctx, args)
	})
}

// Getenv returns a variable that is exported.
func (sh *Shell) Getenv(name string) string {
	if v := sh.vars[name]; v.exported && v.set {
		return v.text
	}
	return ""
}

// Environ returns the variables that are exported.
func (sh *Shell) Environ() map[string]string {
	env := map[string]string{}
	for name, v := range sh.vars {
		if v.exported && v.set && !v.isList {
			env[name] = v.text
		}
	}
	return env
}

// IsBuiltin reports whether the shell has a command itself.
func (sh *Shell) IsBuiltin(name string) bool {
	b := sh.builtin(name)
	return b.run != nil && (!b.bash || sh.Bash) || name == "exec"
}

// Function reports whether a name is one of the shell's functions.
func (sh *Shell) Function(name string) bool { return sh.functions[name] != nil }

// Eval carries out a text in this shell and returns its status.
func (sh *Shell) Eval(ctx context.Context, text string) (int, error) {
	err := sh.evaluate(ctx, text)
	return sh.status, err
}

// evaluate carries out a text, as eval does.
func (sh *Shell) evaluate(ctx context.Context, text string) error {
	if err := sh.enter(); err != nil {
		return sh.located(err)
	}
	defer sh.leave()
	f, err := sh.parse([]byte(text), sh.Name)
	if err != nil {
		return sh.located(err)
	}
	if len(f.Stmts) == 0 {
		sh.status = 0
	}
	return sh.statements(ctx, f.Stmts)
}
