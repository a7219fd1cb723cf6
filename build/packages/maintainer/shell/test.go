package shell

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// testCommand is test and [.
func testCommand(_ context.Context, sh *Shell, args []string) error {
	words := args[1:]
	if args[0] == "[" {
		if len(words) == 0 || words[len(words)-1] != "]" {
			return &failed{2, "[: missing ]"}
		}
		words = words[:len(words)-1]
	}
	t := &tester{sh: sh, words: words}
	ok, err := t.whole()
	if err != nil {
		return err
	}
	if t.wrong != "" {
		sh.complain(args[0] + ": " + t.wrong)
		sh.status = 2
		return nil
	}
	sh.status = oneIf(!ok)
	return nil
}

// tester reads the words of test.
type tester struct {
	sh    *Shell
	words []string
	wrong string
}

// whole decides by the number of words, as POSIX has it, and otherwise by precedence.
func (t *tester) whole() (bool, error) {
	w := t.words
	switch len(w) {
	case 0:
		return false, nil
	case 1:
		return w[0] != "", nil
	case 2:
		if w[0] == "!" {
			return w[1] == "", nil
		}
	case 3:
		if binaryTests[w[1]] {
			return t.binary(w[0], w[1], w[2])
		}
	case 4:
		if w[0] == "!" && binaryTests[w[2]] {
			ok, err := t.binary(w[1], w[2], w[3])
			return !ok, err
		}
	}
	ok, err := t.or()
	if err == nil && t.wrong == "" && len(t.words) > 0 {
		t.wrong = "unexpected operator"
	}
	return ok, err
}

func (t *tester) next() string {
	if len(t.words) == 0 {
		return ""
	}
	w := t.words[0]
	t.words = t.words[1:]
	return w
}

func (t *tester) or() (bool, error) {
	ok, err := t.and()
	for err == nil && len(t.words) > 0 && t.words[0] == "-o" {
		t.next()
		var more bool
		more, err = t.and()
		ok = ok || more
	}
	return ok, err
}

func (t *tester) and() (bool, error) {
	ok, err := t.not()
	for err == nil && len(t.words) > 0 && t.words[0] == "-a" {
		t.next()
		var more bool
		more, err = t.not()
		ok = ok && more
	}
	return ok, err
}

func (t *tester) not() (bool, error) {
	negated := false
	for len(t.words) > 1 && t.words[0] == "!" && (len(t.words) < 3 || !binaryTests[t.words[1]] || len(t.words) > 3) {
		t.next()
		negated = !negated
	}
	ok, err := t.primary()
	return ok != negated, err
}

func (t *tester) primary() (bool, error) {
	switch {
	case len(t.words) == 0:
		t.wrong = "argument expected"
		return false, nil
	case len(t.words) > 2 && binaryTests[t.words[1]]:
		a, op, b := t.next(), t.next(), t.next()
		return t.binary(a, op, b)
	case t.words[0] == "(" && len(t.words) > 1:
		t.next()
		ok, err := t.or()
		if t.next() != ")" {
			t.wrong = "closing paren expected"
		}
		return ok, err
	case len(t.words) > 1 && len(t.words[0]) == 2 && t.words[0][0] == '-' &&
		strings.Contains(unaryTests, t.words[0][1:]):
		return t.sh.unaryTest(t.next(), t.next())
	}
	return t.next() != "", nil
}

const unaryTests = "nzbcdefghkLOGprSstuwxN"

var binaryTests = map[string]bool{
	"=": true, "==": true, "!=": true, "<": true, ">": true, "-eq": true, "-ne": true, "-lt": true, "-le": true,
	"-gt": true, "-ge": true, "-nt": true, "-ot": true, "-ef": true,
}

func (t *tester) binary(a, op, b string) (bool, error) {
	switch op {
	case "=", "==":
		return a == b, nil
	case "!=":
		return a != b, nil
	case "<":
		return a < b, nil
	case ">":
		return a > b, nil
	case "-nt", "-ot":
		return t.sh.newer(a, op, b)
	case "-ef":
		x, err := tree.Follow(t.sh.Tree, t.sh.Path(a))
		if err != nil {
			return false, err
		}
		y, err := tree.Follow(t.sh.Tree, t.sh.Path(b))
		return x == y, err
	}
	m, err := strconv.ParseInt(strings.TrimSpace(a), 10, 64)
	n, more := strconv.ParseInt(strings.TrimSpace(b), 10, 64)
	if err != nil || more != nil {
		t.wrong = "Illegal number: " + a
		if err == nil {
			t.wrong = "Illegal number: " + b
		}
		return false, nil
	}
	return compare(op, m, n), nil
}

func compare(op string, m, n int64) bool {
	switch op {
	case "-eq":
		return m == n
	case "-ne":
		return m != n
	case "-lt":
		return m < n
	case "-le":
		return m <= n
	case "-gt":
		return m > n
	}
	return m >= n
}

// newer compares times, which a tree does not have: only a file that is not there is certain.
func (sh *Shell) newer(a, op, b string) (bool, error) {
	if op == "-ot" {
		a, b = b, a
	}
	x, err := sh.Stat(a)
	if err != nil || x == nil {
		return false, err
	}
	y, err := sh.Stat(b)
	if err != nil || y == nil {
		return y == nil, err
	}
	return false, sh.refuse("test %s compares times, which are not known here", op)
}

// unaryTest is test with an operator and one word. The user is root, who may read and write all.
func (sh *Shell) unaryTest(op, word string) (bool, error) {
	switch op {
	case "-n":
		return word != "", nil
	case "-z":
		return word == "", nil
	case "-t":
		return false, nil
	}
	if word == "" {
		return false, nil
	}
	n, err := sh.Stat(word)
	if op == "-L" || op == "-h" {
		n, err = sh.Lstat(word)
	}
	if err != nil {
		return false, err
	}
	if n == nil {
		device := word == "/dev/null" || word == "/dev/zero"
		return device && (op == "-c" || op == "-e" || op == "-r" || op == "-w"), nil
	}
	switch op {
	case "-e", "-r", "-w", "-O", "-G":
		return op != "-O" && op != "-G" || n.UID == 0 && op == "-O" || n.GID == 0 && op == "-G", nil
	case "-f":
		return n.Kind == layer.Regular && n.Odd == "", nil
	case "-d":
		return n.Kind == layer.Dir, nil
	case "-L", "-h":
		return n.Kind == layer.Symlink, nil
	case "-x":
		return n.Kind == layer.Dir || n.Mode&0o111 != 0, nil
	case "-s":
		return sh.filled(word, n)
	case "-u", "-g", "-k":
		bit := map[string]uint32{"-u": 0o4000, "-g": 0o2000, "-k": 0o1000}[op]
		return modechange.Bits(n.Mode)&bit != 0, nil
	case "-b", "-c", "-p", "-S":
		return n.Odd != "" && odd(op, n.Odd), nil
	}
	return false, sh.refuse("test %s is not known here", op)
}

// odd reports whether a file that no layer has is of the kind that a test asks for.
func odd(op, what string) bool {
	word := map[string]string{"-b": "device", "-c": "device", "-p": "pipe", "-S": "socket"}[op]
	return strings.Contains(what, word)
}

// filled reports whether a file is not empty.
func (sh *Shell) filled(name string, n *tree.Node) (bool, error) {
	if n.Kind != layer.Regular || n.Content == nil {
		return true, nil
	}
	c, err := n.Content()
	if err != nil {
		return false, fmt.Errorf("reading %s: %w", name, err)
	}
	return c.Size > 0, nil
}
