package shell

import (
	"context"

	"mvdan.cc/sh/v3/syntax"
)

func (sh *Shell) ifClause(ctx context.Context, c *syntax.IfClause) error {
	for ; c != nil; c = c.Else {
		if len(c.Cond) == 0 { // else
			return sh.statements(ctx, c.Then)
		}
		ok, err := sh.test(ctx, c.Cond)
		if err != nil {
			return err
		}
		if ok {
			return sh.statements(ctx, c.Then)
		}
	}
	sh.status = 0
	return nil
}

// test carries out statements whose failure set -e does not count.
func (sh *Shell) test(ctx context.Context, list []*syntax.Stmt) (bool, error) {
	sh.tested++
	err := sh.statements(ctx, list)
	sh.tested--
	return sh.status == 0, err
}

// round is one round of a loop. It reports whether the loop goes on.
func (sh *Shell) round(ctx context.Context, list []*syntax.Stmt) (bool, error) {
	if err := sh.step(ctx); err != nil {
		return false, sh.located(err)
	}
	return sh.goesOn(sh.statements(ctx, list))
}

// goesOn looks at how a part of a loop ended, and reports whether the loop goes on.
func (sh *Shell) goesOn(err error) (bool, error) {
	var j *jump
	if !asJump(err, &j) || j.kind != breaking && j.kind != continuing {
		return err == nil, err
	}
	if j.n > 1 && sh.loops > 1 {
		return false, &jump{j.kind, j.n - 1}
	}
	sh.status = 0
	return j.kind == continuing, nil
}

func (sh *Shell) while(ctx context.Context, c *syntax.WhileClause) error {
	sh.loops++
	defer func() { sh.loops-- }()
	last := 0
	for {
		ok, err := sh.test(ctx, c.Cond)
		if err != nil {
			on, err := sh.goesOn(err)
			if !on {
				return err
			}
			continue
		}
		if ok == c.Until {
			sh.status = last
			return nil
		}
		on, err := sh.round(ctx, c.Do)
		if !on {
			return err
		}
		last = sh.status
	}
}

func (sh *Shell) loop(ctx context.Context, c *syntax.ForClause) error {
	sh.loops++
	defer func() { sh.loops-- }()
	if style, ok := c.Loop.(*syntax.CStyleLoop); ok {
		return sh.cLoop(ctx, style, c.Do)
	}
	words, ok := c.Loop.(*syntax.WordIter)
	if !ok || c.Select {
		return sh.refuse("select is not known here")
	}
	items := sh.Params
	if words.InPos.IsValid() {
		var err error
		if items, err = sh.fields(ctx, words.Items); err != nil {
			return err
		}
	}
	sh.status = 0
	for _, item := range items {
		if err := sh.assign(words.Name.Value, item); err != nil {
			return err
		}
		if on, err := sh.round(ctx, c.Do); !on {
			return err
		}
	}
	return nil
}

func (sh *Shell) cLoop(ctx context.Context, c *syntax.CStyleLoop, do []*syntax.Stmt) error {
	if c.Init != nil {
		if _, err := sh.arithmetic(ctx, c.Init); err != nil {
			return err
		}
	}
	for {
		if c.Cond != nil {
			n, err := sh.arithmetic(ctx, c.Cond)
			if err != nil || n == 0 {
				return err
			}
		}
		if on, err := sh.round(ctx, do); !on {
			return err
		}
		if c.Post != nil {
			if _, err := sh.arithmetic(ctx, c.Post); err != nil {
				return err
			}
		}
	}
}

func (sh *Shell) caseClause(ctx context.Context, c *syntax.CaseClause) error {
	word, err := sh.text(ctx, c.Word)
	if err != nil {
		return err
	}
	status := sh.status
	sh.status = 0
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			pat, err := sh.pattern(ctx, p)
			if err != nil {
				return err
			}
			ok, err := sh.matches(pat, word)
			if err != nil {
				return err
			}
			if !ok {
				continue
			}
			if item.Op != syntax.Break {
				return sh.refuse("%s in a case is not known here", item.Op)
			}
			sh.status = status
			if len(item.Stmts) == 0 {
				sh.status = 0
			}
			return sh.statements(ctx, item.Stmts)
		}
	}
	return nil
}
