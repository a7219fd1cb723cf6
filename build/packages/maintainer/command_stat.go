package maintainer

import (
	"errors"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/modechange"
	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// stat prints what is known of a file by its metadata. Times and numbers of the disk are not.
func stat(c *call) (int, error) {
	format := c.value("c")
	if format == "" {
		return 0, errors.New("without a format is not known here: " + instead)
	}
	if c.has("f") {
		return 0, errors.New("-f is not known here: " + instead)
	}
	status := 0
	for _, name := range c.args {
		s, err := c.at(name)
		if c.has("L") {
			s, err = c.to(name)
		}
		if err != nil {
			return 0, err
		}
		if s.n == nil {
			status, _ = c.fail("cannot statx '%s': No such file or directory", name)
			continue
		}
		text, err := c.statFormat(format, name, s)
		if err != nil {
			return 0, err
		}
		if _, err := c.print(text + "\n"); err != nil {
			return 0, err
		}
	}
	return status, nil
}

func (c *call) statFormat(format, name string, s spot) (string, error) {
	var b strings.Builder
	for n := 0; n < len(format); n++ {
		if format[n] != '%' || n+1 == len(format) {
			b.WriteByte(format[n])
			continue
		}
		n++
		switch format[n] {
		case '%':
			b.WriteByte('%')
		case 'a':
			fmt.Fprintf(&b, "%o", modechange.Bits(s.n.Mode))
		case 'd': // there is one file system
			b.WriteByte('1')
		case 'i': // a number that only this path has
			h := fnv.New32a()
			h.Write([]byte(s.p))
			fmt.Fprint(&b, h.Sum32())
		case 'u':
			b.WriteString(strconv.Itoa(s.n.UID))
		case 'g':
			b.WriteString(strconv.Itoa(s.n.GID))
		case 'U', 'G':
			text, err := c.nameOf(format[n], s.n)
			if err != nil {
				return "", err
			}
			b.WriteString(text)
		case 'n':
			b.WriteString(name)
		case 's':
			if s.regular() {
				content, err := s.n.Content()
				if err != nil {
					return "", err
				}
				b.WriteString(strconv.FormatInt(content.Size, 10))
				break
			}
			return "", fmt.Errorf("%%s of %s is not known here", name)
		case 'h':
			if s.n.Hard || s.dir() {
				return "", fmt.Errorf("%%h of %s is not known here", name)
			}
			b.WriteByte('1')
		case 'F':
			b.WriteString(map[layer.Type]string{
				layer.Regular: "regular file", layer.Dir: "directory", layer.Symlink: "symbolic link",
			}[s.n.Kind])
		default:
			return "", fmt.Errorf("%%%c is not known here: %s", format[n], instead)
		}
	}
	return b.String(), nil
}

// nameOf returns the name of a file's user or group.
func (c *call) nameOf(what byte, n *tree.Node) (string, error) {
	file, id := "/etc/passwd", n.UID
	if what == 'G' {
		file, id = "/etc/group", n.GID
	}
	text, _, err := c.read(file)
	if err != nil {
		return "", err
	}
	for _, line := range lines(text) {
		if f := strings.Split(line, ":"); len(f) > 2 && f[2] == strconv.Itoa(id) {
			return f[0], nil
		}
	}
	return "UNKNOWN", nil
}

// ls lists names, one on a line.
func ls(c *call) (int, error) {
	if c.has("l") {
		return 0, errors.New("-l is not known here: " + instead)
	}
	args := c.args
	if len(args) == 0 {
		args = []string{"."}
	}
	status := 0
	for _, name := range args {
		s, err := c.to(name)
		if err != nil {
			return 0, err
		}
		if s.n == nil && !c.has("L") {
			if s, err = c.at(name); err != nil {
				return 0, err
			}
		}
		if s.n == nil {
			c.Err.Printf("ls: cannot access '%s': No such file or directory\n", name)
			status = 2
			continue
		}
		names := []string{name}
		if s.dir() && !c.has("d") {
			if names, err = c.r.t.ReadDir(s.p); err != nil {
				return 0, err
			}
			if len(args) > 1 {
				return 0, errors.New("of several directories is not known here: " + instead)
			}
		}
		for _, n := range names {
			if strings.HasPrefix(n, ".") && !c.has("a", "A", "d") && s.dir() {
				continue
			}
			if _, err := c.print(n + "\n"); err != nil {
				return 0, err
			}
		}
	}
	return status, nil
}
