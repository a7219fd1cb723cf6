package maintainer

import (
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// sed edits texts.
func sed(c *call) (int, error) {
	script := c.o["e"]
	files := c.args
	if c.has("f") {
		text, there, err := c.read(c.value("f"))
		if err != nil {
			return 0, err
		}
		if !there {
			return c.fail("couldn't open file %s", c.value("f"))
		}
		script = append(script, string(text))
	}
	if len(script) == 0 {
		if len(files) == 0 {
			return c.usage(1)
		}
		script, files = files[:1], files[1:]
	}
	p := &sedParser{rest: strings.Join(script, "\n"), extended: c.has("E", "r")}
	if strings.HasPrefix(p.rest, "#n\n") {
		c.o["n"] = []string{""}
	}
	commands, err := p.commands(false)
	if err != nil {
		return 0, err
	}
	if c.has("i") {
		return c.editInPlace(commands, files)
	}
	text, status, err := c.all(files)
	if err != nil {
		return 0, err
	}
	out, err := c.edit(commands, text)
	if err != nil {
		return 0, err
	}
	_, err = c.Out.Write(out)
	return status * 2, err
}

func (c *call) editInPlace(commands []sedCommand, files []string) (int, error) {
	status := 0
	for _, name := range files {
		s, err := c.at(name)
		if c.has("follow-symlinks") {
			s, err = c.to(name)
		}
		if err != nil {
			return 0, err
		}
		target, err := c.to(name)
		if err != nil {
			return 0, err
		}
		if !target.regular() {
			c.Err.Printf("sed: can't read %s: No such file or directory\n", name)
			status = 4
			continue
		}
		text, err := tree.ReadText(c.r.t, target.p)
		if err != nil {
			return 0, err
		}
		out, err := c.edit(commands, text)
		if err != nil {
			return 0, err
		}
		if suffix := c.value("i"); suffix != "" {
			if err := c.set(s.p+suffix, target.n); err != nil {
				return 0, err
			}
		}
		k := *target.n
		content := layer.Bytes(out)
		k.Hard, k.Capability, k.Content = false, "", func() (layer.Content, error) { return content, nil }
		if err := c.set(s.p, k.Sized(content.Size)); err != nil {
			return 0, err
		}
	}
	return status, nil
}

// What a command says of what comes next.
const (
	goOn = iota
	nextCycle
	noPrint // the next cycle, without printing
	quitNow
	branch
)
