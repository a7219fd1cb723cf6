package maintainer

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// nothing is a command without effect on an image.
func nothing(*call) (int, error) { return 0, nil }

// fails is a question about what runs, whose answer is no.
func fails(*call) (int, error) { return 1, nil }

// refused is a command whose output would differ from run to run.
func refused(c *call) (int, error) {
	return 0, errors.New("says what differs from machine to machine: " + instead)
}

// service starts, stops or asks about what runs.
func service(c *call) (int, error) { return 0, nil }

// cache is a program that computes a file from others.
func cache(c *call) (int, error) {
	c.r.note(c.r.s, Cache, path.Base(c.Args[0])+" computes files from others, which is left out")
	return 0, nil
}

// handOn is nohup and nice: it calls the command after its options.
func handOn(c *call) (int, error) {
	args := c.args
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		args = args[1:]
	}
	return c.call(args, nil)
}

// uname tells of Linux what an image can count on.
func uname(c *call) (int, error) {
	if c.has("n", "a", "v", "i", "p") {
		return refused(c)
	}
	var out []string
	if c.has("s") || len(c.o) == 0 {
		out = append(out, "Linux")
	}
	if c.has("r") {
		out = append(out, "6.1.0") // that of Debian 12; scripts ask whether it is new enough
	}
	if c.has("m") {
		out = append(out, machine(c.r.architecture()))
	}
	if c.has("o") {
		out = append(out, "GNU/Linux")
	}
	return c.print(strings.Join(out, " ") + "\n")
}

func machine(arch string) string {
	names := map[string]string{
		"amd64": "x86_64", "arm64": "aarch64", "armhf": "armv7l", "i386": "i686", "ppc64el": "ppc64le", "armel": "armv6l",
		"mips64el": "mips64",
	}
	if m, ok := names[arch]; ok {
		return m
	}
	return arch
}

func arch(c *call) (int, error) { return c.print(machine(c.r.architecture()) + "\n") }

// hostname has no answer: an image has no name.
func hostname(c *call) (int, error) { return c.fail("Name or service not known") }

// expr is expr with two operands.
func expr(c *call) (int, error) {
	if len(c.args) != 3 {
		return 0, fmt.Errorf("with %d words is not known here: %s", len(c.args), instead)
	}
	a, op, b := c.args[0], c.args[1], c.args[2]
	result := ""
	switch op {
	case ":":
		re, err := expression("^"+b, false, false)
		if err != nil {
			return 0, err
		}
		m := re.FindStringSubmatch(a)
		switch {
		case strings.Contains(b, `\(`) && len(m) > 1:
			result = m[1]
		case strings.Contains(b, `\(`):
		case m == nil:
			result = "0"
		default:
			result = strconv.Itoa(len(m[0]))
		}
	case "+", "-", "*", "/", "%":
		x, err1 := strconv.ParseInt(a, 10, 64)
		y, err2 := strconv.ParseInt(b, 10, 64)
		if err1 != nil || err2 != nil || y == 0 && (op == "/" || op == "%") {
			c.Err.Printf("expr: non-integer argument\n")
			return 2, nil
		}
		n := map[string]func() int64{
			"+": func() int64 { return x + y }, "-": func() int64 { return x - y }, "*": func() int64 { return x * y },
			"/": func() int64 { return x / y }, "%": func() int64 { return x % y },
		}[op]()
		result = strconv.FormatInt(n, 10)
	default:
		return 0, unknownOption(op)
	}
	if _, err := c.print(result + "\n"); err != nil || result == "" || result == "0" {
		return 1, err
	}
	return 0, nil
}

// perl is only asked whether it works.
func perl(c *call) (int, error) {
	if len(c.args) == 2 && c.args[0] == "-e" && c.args[1] == "" {
		return 0, nil
	}
	return 0, errors.New("is a program, and no program is run: " + instead)
}

// mktempFile is tempfile.
func mktempFile(c *call) (int, error) {
	c.o["p"] = c.o["d"]
	c.args = nil
	return mktemp(c)
}

// pythonCommand only compiles modules, which is left out.
func pythonCommand(c *call) (int, error) {
	for _, a := range c.args {
		if strings.HasSuffix(a, "py_compile.py") || a == "compileall" || a == "py_compile" {
			return cache(c)
		}
	}
	return 0, errors.New("is a program, and no program is run: " + instead)
}

// git is git lfs install, which a package calls.
func git(c *call) (int, error) {
	if strings.Join(c.args, " ") != "lfs install --skip-repo --system" {
		return 0, errors.New("is a program, and no program is run: " + instead)
	}
	text, _, err := c.read("/etc/gitconfig")
	if err != nil || bytes.Contains(text, []byte(`[filter "lfs"]`)) {
		return 0, err
	}
	return 0, c.write("/etc/gitconfig", append(text[:len(text):len(text)], gitLFS...), 0o644)
}

const gitLFS = `[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
	required = true
`

// frontend is what debconf's library starts where there is no frontend yet.
func frontend(c *call) (int, error) { return sh(c) }

// setSelections is debconf-set-selections.
func setSelections(c *call) (int, error) {
	text, status, err := c.all(c.args)
	if err != nil || status != 0 {
		return status, err
	}
	if err := c.r.startDebconf(); err != nil {
		return 0, err
	}
	for _, line := range lines(text) {
		f := strings.Fields(line)
		if len(f) < 3 || f[0][0] == '#' {
			continue
		}
		c.r.debconf.selection(f[0], f[1], f[2], strings.Join(f[3:], " "))
	}
	return 0, nil
}

// debconfEscape writes new lines as debconf does.
func debconfEscape(c *call) (int, error) {
	text := string(c.In.All())
	if c.has("u") {
		text = strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(text)
	} else {
		text = strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text)
	}
	return c.print(text)
}
