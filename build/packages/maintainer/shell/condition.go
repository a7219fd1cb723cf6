package shell

import (
	"context"

	"mvdan.cc/sh/v3/syntax"
)

// condition evaluates [[ … ]] of bash.
func (sh *Shell) condition(ctx context.Context, x syntax.TestExpr) (bool, error) {
	switch x := x.(type) {
	case *syntax.Word:
		text, err := sh.text(ctx, x)
		return text != "", err
	case *syntax.ParenTest:
		return sh.condition(ctx, x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsNot {
			ok, err := sh.condition(ctx, x.X)
			return !ok, err
		}
		w, ok := x.X.(*syntax.Word)
		if !ok {
			break
		}
		text, err := sh.text(ctx, w)
		if err != nil {
			return false, err
		}
		return sh.unaryTest(x.Op.String(), text)
	case *syntax.BinaryTest:
		return sh.binaryCondition(ctx, x)
	}
	return false, sh.refuse("this condition is not known here")
}

func (sh *Shell) binaryCondition(ctx context.Context, x *syntax.BinaryTest) (bool, error) {
	if x.Op == syntax.AndTest || x.Op == syntax.OrTest {
		ok, err := sh.condition(ctx, x.X)
		if err != nil || ok == (x.Op == syntax.OrTest) {
			return ok, err
		}
		return sh.condition(ctx, x.Y)
	}
	a, okA := x.X.(*syntax.Word)
	b, okB := x.Y.(*syntax.Word)
	if !okA || !okB || x.Op == syntax.TsReMatch {
		return false, sh.refuse("the condition %s is not known here", x.Op)
	}
	left, err := sh.text(ctx, a)
	if err != nil {
		return false, err
	}
	switch x.Op {
	case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch:
		pat, err := sh.pattern(ctx, b)
		if err != nil {
			return false, err
		}
		ok, err := sh.matches(pat, left)
		return ok != (x.Op == syntax.TsNoMatch), err
	}
	right, err := sh.text(ctx, b)
	if err != nil {
		return false, err
	}
	t := &tester{sh: sh}
	ok, err := t.binary(left, x.Op.String(), right)
	if t.wrong != "" {
		return false, sh.refuse("[[: %s", t.wrong)
	}
	return ok, err
}
