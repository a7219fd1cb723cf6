package shell

import (
	"context"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/slipway-dev/slipway/build/layer"
)

// builtin is a command of the shell itself.
type builtin struct {
	special bool // it comes before functions, and its failure ends the shell
	bash    bool // only bash has it
	program bool // there is a program of this name, too, which exec and env can call
	run     func(ctx context.Context, sh *Shell, args []string) error
}

// builtin returns the command of the shell itself that has a name.
func (m *Machine) builtin(name string) builtin {
	if m.builtins == nil {
		m.builtins = builtins()
	}
	return m.builtins[name]
}

func builtins() map[string]builtin {
	return map[string]builtin{
		":":        {special: true, run: succeed},
		".":        {special: true, run: source},
		"break":    {special: true, run: leaveLoop},
		"continue": {special: true, run: leaveLoop},
		"eval":     {special: true, run: eval},
		"exit":     {special: true, run: leaveShell},
		"return":   {special: true, run: leaveShell},
		"export":   {special: true, run: declaration},
		"readonly": {special: true, run: declaration},
		"set":      {special: true, run: set},
		"shift":    {special: true, run: shift},
		"trap":     {special: true, run: trap},
		"unset":    {special: true, run: unset},
		"times":    {special: true, run: succeed},
		"source":   {bash: true, run: source},
		"declare":  {bash: true, run: declaration},
		"typeset":  {bash: true, run: declaration},
		"shopt":    {bash: true, run: shopt},
		"local":    {run: declaration},
		"true":     {program: true, run: succeed},
		"false":    {program: true, run: fail},
		"test":     {program: true, run: testCommand},
		"[":        {program: true, run: testCommand},
		"echo":     {program: true, run: echo},
		"printf":   {program: true, run: printfCommand},
		"pwd":      {program: true, run: pwd},
		"cd":       {run: cd},
		"read":     {run: read},
		"getopts":  {run: getopts},
		"umask":    {run: umask},
		"command":  {run: which},
		"type":     {run: which},
		"hash":     {run: succeed},
		"wait":     {run: succeed},
		"jobs":     {run: succeed},
		"ulimit":   {run: succeed},
		"unalias":  {run: succeed},
	}
}

func succeed(_ context.Context, sh *Shell, _ []string) error {
	sh.status = 0
	return nil
}

func fail(_ context.Context, sh *Shell, _ []string) error {
	sh.status = 1
	return nil
}

// source is . with a file of the tree.
func source(ctx context.Context, sh *Shell, args []string) error {
	if len(args) < 2 {
		return &failed{2, args[0] + ": a file is missing"}
	}
	if sh.Source != nil {
		done, err := sh.Source(ctx, sh, args[1:])
		if done || err != nil {
			return err
		}
	}
	s, err := sh.openRead(args[1])
	if err != nil {
		return err
	}
	if err := sh.enter(); err != nil {
		return sh.located(err)
	}
	defer sh.leave()
	outer, params := sh.Name, sh.Params
	if sh.Name = args[1]; sh.Bash && len(args) > 2 {
		sh.Params = args[2:]
	}
	f, err := sh.parse(s.All(), sh.Name)
	if err == nil {
		sh.status = 0
		err = sh.statements(ctx, f.Stmts)
	}
	sh.Name, sh.Params = outer, params
	var j *jump
	if asJump(err, &j) && j.kind == returning {
		sh.status = j.n
		return nil
	}
	return err
}

func leaveLoop(_ context.Context, sh *Shell, args []string) error {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 1 {
			return &failed{2, args[0] + ": Illegal number: " + args[1]}
		}
	}
	sh.status = 0
	if sh.loops == 0 {
		return nil
	}
	if args[0] == "break" {
		return &jump{breaking, n}
	}
	return &jump{continuing, n}
}

func eval(ctx context.Context, sh *Shell, args []string) error {
	return sh.evaluate(ctx, strings.Join(args[1:], " "))
}

// leaveShell is exit and return.
func leaveShell(_ context.Context, sh *Shell, args []string) error {
	n := sh.status
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 0 {
			return &failed{2, args[0] + ": Illegal number: " + args[1]}
		}
	}
	if args[0] == "return" {
		return &jump{returning, n & 255}
	}
	return &jump{exiting, n & 255}
}

func shift(_ context.Context, sh *Shell, args []string) error {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 0 {
			return &failed{2, "shift: Illegal number: " + args[1]}
		}
	}
	if n > len(sh.Params) {
		if sh.Bash {
			sh.status = 1
			return nil
		}
		return &failed{2, "shift: can't shift that many"}
	}
	sh.Params, sh.status = sh.Params[n:], 0
	return nil
}

// trap keeps what is to be done at the end. Signals do not occur here.
func trap(_ context.Context, sh *Shell, args []string) error {
	sh.status = 0
	if len(args) > 1 && args[1] == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return nil
	}
	action, signals := args[1], args[2:]
	if len(signals) == 0 {
		action, signals = "-", args[1:]
	}
	for _, s := range signals {
		switch strings.TrimPrefix(strings.ToUpper(s), "SIG") {
		case "EXIT", "0":
			if delete(sh.traps, "EXIT"); action != "-" {
				sh.traps["EXIT"] = action
			}
		case "ERR", "DEBUG", "RETURN":
			if action != "-" {
				return sh.refuse("trap %s is not known here", s)
			}
		}
	}
	return nil
}

func unset(_ context.Context, sh *Shell, args []string) error {
	sh.status = 0
	functions := false
	for _, a := range args[1:] {
		switch {
		case a == "-f", a == "-v":
			functions = a == "-f"
		case functions:
			delete(sh.functions, a)
		case !syntax.ValidName(a):
			return &failed{2, "unset: " + a + ": bad variable name"}
		case sh.vars[a].readonly:
			return &failed{2, "unset: " + a + ": is read only"}
		default:
			delete(sh.vars, a)
		}
	}
	return nil
}

func pwd(_ context.Context, sh *Shell, _ []string) error {
	sh.stream(1).Printf("%s\n", sh.Dir)
	sh.status = 0
	return nil
}

func cd(_ context.Context, sh *Shell, args []string) error {
	var dir string
	for _, a := range args[1:] {
		if a != "-L" && a != "-P" && a != "-e" && a != "--" {
			dir = a
		}
	}
	switch dir {
	case "":
		dir = sh.value("HOME")
	case "-":
		dir = sh.value("OLDPWD")
	}
	n, err := sh.Stat(dir)
	if err != nil {
		return err
	}
	if n == nil || n.Kind != layer.Dir {
		sh.complain("cd: can't cd to " + dir)
		sh.status = 2 - oneIf(sh.Bash)
		return nil
	}
	old := sh.Dir
	if sh.Dir, err = sh.Place(dir + "/."); err != nil {
		return err
	}
	sh.status = 0
	if err := sh.assign("OLDPWD", old); err != nil {
		return err
	}
	return sh.assign("PWD", sh.Dir)
}

// umask sets the mode that new files do not get.
func umask(_ context.Context, sh *Shell, args []string) error {
	sh.status = 0
	if len(args) < 2 {
		sh.stream(1).Printf("%04o\n", sh.Umask)
		return nil
	}
	n, err := strconv.ParseUint(args[1], 8, 9)
	if err != nil {
		return sh.refuse("umask %s is not known here", args[1])
	}
	sh.Umask = uint32(n)
	return nil
}
