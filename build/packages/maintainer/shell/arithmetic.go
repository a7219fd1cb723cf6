package shell

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// arithmetic evaluates what stands in $((…)).
func (sh *Shell) arithmetic(ctx context.Context, x syntax.ArithmExpr) (int64, error) {
	switch x := x.(type) {
	case *syntax.Word:
		return sh.operand(ctx, x)
	case *syntax.ParenArithm:
		return sh.arithmetic(ctx, x.X)
	case *syntax.UnaryArithm:
		return sh.unary(ctx, x)
	case *syntax.BinaryArithm:
		return sh.binaryArithmetic(ctx, x)
	}
	return 0, sh.refuse("this arithmetic is not known here")
}

// whole evaluates an expression, which may be what another one prints: $(($(echo 1 + 1))).
func (sh *Shell) whole(ctx context.Context, x syntax.ArithmExpr) (int64, error) {
	w, ok := x.(*syntax.Word)
	if !ok || w.Lit() != "" {
		return sh.arithmetic(ctx, x)
	}
	text, err := sh.text(ctx, w)
	if err != nil {
		return 0, err
	}
	if strings.ContainsAny(text, "$`\\\"'") || len(text) > 1000 {
		return 0, sh.refuse("the arithmetic %.40q is not known here", text)
	}
	inner, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Arithmetic(strings.NewReader(text))
	if err != nil || inner == nil {
		return sh.number(text)
	}
	return sh.arithmetic(ctx, inner)
}

// operand evaluates a word in an expression.
func (sh *Shell) operand(ctx context.Context, w *syntax.Word) (int64, error) {
	text, err := sh.text(ctx, w)
	if err != nil {
		return 0, err
	}
	trimmed := strings.TrimLeft(strings.TrimSpace(text), "-+")
	if w.Lit() == "" && strings.ContainsAny(trimmed, "+-*/%<>=!&|^?: ") {
		return 0, sh.refuse("the arithmetic with %.40q in it is not known here", text)
	}
	return sh.number(text)
}

// number reads a number, or the variable that has one.
func (sh *Shell) number(text string) (int64, error) {
	text = strings.TrimSpace(text)
	for range 8 {
		if !syntax.ValidName(text) {
			break
		}
		text = strings.TrimSpace(sh.value(text))
	}
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		return 0, &failed{2, "arithmetic expression: expecting primary: \"" + text + "\""}
	}
	return n, nil
}

func (sh *Shell) unary(ctx context.Context, x *syntax.UnaryArithm) (int64, error) {
	n, err := sh.arithmetic(ctx, x.X)
	if err != nil {
		return 0, err
	}
	switch x.Op {
	case syntax.Not:
		return int64(oneIf(n == 0)), nil
	case syntax.BitNegation:
		return ^n, nil
	case syntax.Plus:
		return n, nil
	case syntax.Minus:
		return -n, nil
	case syntax.Inc, syntax.Dec:
		now := n + 1
		if x.Op == syntax.Dec {
			now = n - 1
		}
		if !x.Post {
			n = now
		}
		return n, sh.store(x.X, now)
	}
	return 0, sh.refuse("the operator %s is not known here", x.Op)
}

// store assigns a number to the variable that an expression names.
func (sh *Shell) store(x syntax.ArithmExpr, n int64) error {
	w, ok := x.(*syntax.Word)
	if !ok || !syntax.ValidName(w.Lit()) {
		return sh.refuse("this arithmetic is not known here")
	}
	return sh.assign(w.Lit(), strconv.FormatInt(n, 10))
}

var assigning = map[syntax.BinAritOperator]syntax.BinAritOperator{
	syntax.AddAssgn: syntax.Add, syntax.SubAssgn: syntax.Sub, syntax.MulAssgn: syntax.Mul,
	syntax.QuoAssgn: syntax.Quo, syntax.RemAssgn: syntax.Rem, syntax.AndAssgn: syntax.And,
	syntax.OrAssgn: syntax.Or, syntax.XorAssgn: syntax.Xor, syntax.ShlAssgn: syntax.Shl, syntax.ShrAssgn: syntax.Shr,
}

func (sh *Shell) binaryArithmetic(ctx context.Context, x *syntax.BinaryArithm) (int64, error) {
	if x.Op == syntax.TernQuest {
		n, err := sh.arithmetic(ctx, x.X)
		if err != nil {
			return 0, err
		}
		both, ok := x.Y.(*syntax.BinaryArithm)
		switch {
		case !ok:
			return 0, sh.refuse("this arithmetic is not known here")
		case n != 0:
			return sh.arithmetic(ctx, both.X)
		}
		return sh.arithmetic(ctx, both.Y)
	}
	if x.Op == syntax.Assgn {
		n, err := sh.arithmetic(ctx, x.Y)
		if err != nil {
			return 0, err
		}
		return n, sh.store(x.X, n)
	}
	a, err := sh.arithmetic(ctx, x.X)
	if err != nil {
		return 0, err
	}
	if x.Op == syntax.AndArit && a == 0 || x.Op == syntax.OrArit && a != 0 {
		return int64(oneIf(a != 0)), nil
	}
	b, err := sh.arithmetic(ctx, x.Y)
	if err != nil {
		return 0, err
	}
	if op, ok := assigning[x.Op]; ok {
		n, err := sh.operate(op, a, b)
		if err != nil {
			return 0, err
		}
		return n, sh.store(x.X, n)
	}
	return sh.operate(x.Op, a, b)
}

func (sh *Shell) operate(op syntax.BinAritOperator, a, b int64) (int64, error) {
	switch op {
	case syntax.Add:
		return a + b, nil
	case syntax.Sub:
		return a - b, nil
	case syntax.Mul:
		return a * b, nil
	case syntax.Quo, syntax.Rem:
		if b == 0 {
			return 0, &failed{2, "arithmetic expression: division by zero"}
		}
		if op == syntax.Quo {
			return a / b, nil
		}
		return a % b, nil
	case syntax.And:
		return a & b, nil
	case syntax.Or:
		return a | b, nil
	case syntax.Xor:
		return a ^ b, nil
	case syntax.Shl:
		return a << (uint64(b) & 63), nil //nolint:gosec // masked
	case syntax.Shr:
		return a >> (uint64(b) & 63), nil //nolint:gosec // masked
	}
	is, ok := map[syntax.BinAritOperator]bool{
		syntax.Eql: a == b, syntax.Neq: a != b, syntax.Lss: a < b, syntax.Leq: a <= b, syntax.Gtr: a > b,
		syntax.Geq: a >= b, syntax.AndArit: a != 0 && b != 0, syntax.OrArit: a != 0 || b != 0,
	}[op]
	if !ok {
		return 0, sh.refuse("the operator %s is not known here", op)
	}
	return int64(oneIf(is)), nil
}
