package tree

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
)

// maxUsers bounds /etc/passwd and /etc/group in bytes, as BuildKit does.
const maxUsers = 10 << 20

// Owner is who a file belongs to.
type Owner struct{ UID, GID int }

// LookUp returns what USER[:GROUP] means in a tree: numbers, or names from its /etc/passwd and
// /etc/group. A number without a group is its own group, and no user at all is root; a name
// without one has that of /etc/passwd.
func LookUp(t Files, s string) (*Owner, error) {
	user, group, _ := strings.Cut(s, ":")
	o := &Owner{}
	if n, ok := number(user); ok || user == "" {
		o.UID, o.GID = n, n
	} else {
		fields, err := Account(t, "/etc/passwd", user, 4)
		if err != nil {
			return nil, err
		}
		o.UID, o.GID = fields[2], fields[3]
	}
	if group == "" {
		return o, nil
	}
	if n, ok := number(group); ok {
		o.GID = n
		return o, nil
	}
	fields, err := Account(t, "/etc/group", group, 3)
	if err != nil {
		return nil, err
	}
	o.GID = fields[2]
	return o, nil
}

func number(s string) (int, bool) {
	if s == "root" {
		return 0, true
	}
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil && n >= 0
}

// Numeric reports whether no file is needed to know what a user or group means.
func Numeric(s string) bool {
	_, ok := number(s)
	return ok || s == ""
}

// UnknownNameError is about a user or group that a stage does not have.
type UnknownNameError struct{ error }

// Account finds the line of a name and returns its fields as numbers; those that are not numbers
// are 0.
func Account(t Files, file, name string, fields int) ([]int, error) {
	unknown := UnknownNameError{fmt.Errorf("%s of this stage does not know %q: write the number", file, name)}
	_, n, err := Resolve(t, file)
	if err != nil {
		return nil, err
	}
	if t, ok := t.(*Tree); ok && t.Open && n == nil {
		return make([]int, fields), nil // the image that is not at hand may know it
	}
	if n == nil || n.Kind != layer.Regular || n.Odd != "" {
		return nil, unknown
	}
	content, err := n.Content()
	if err != nil {
		return nil, err
	}
	if content.Open == nil { // of a check
		return make([]int, fields), nil
	}
	text, err := readContent(content, file, maxUsers)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		parts := strings.Split(strings.TrimSpace(lines.Text()), ":")
		if len(parts) < fields || parts[0] != name {
			continue
		}
		numbers := make([]int, fields)
		for i := range numbers {
			numbers[i], _ = strconv.Atoi(parts[i])
		}
		return numbers, nil
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return nil, unknown
}

// MaxText bounds a file that is read as a whole to be edited, in bytes. The largest that packages
// maintain, /var/lib/dpkg/status, has about 1 KiB a package.
const MaxText = 32 << 20

// ReadText returns the content of a regular file, following symbolic links; nil where nothing is.
func ReadText(f Files, p string) ([]byte, error) {
	at, n, err := Resolve(f, p)
	if err != nil || n == nil {
		return nil, err
	}
	if n.Kind != layer.Regular || n.Odd != "" {
		return nil, fmt.Errorf("%s is not a regular file", at)
	}
	c, err := n.Content()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	return readContent(c, at, MaxText)
}

// readContent reads a file to the end, where the reader reports whether the file is damaged.
func readContent(c layer.Content, at string, most int64) ([]byte, error) {
	if c.Size > most {
		return nil, fmt.Errorf("%s has more than %d bytes", at, most)
	}
	r, err := c.Open()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	defer r.Close()
	text := bytes.NewBuffer(make([]byte, 0, c.Size+bytes.MinRead))
	if _, err := text.ReadFrom(r); err != nil {
		return nil, fmt.Errorf("reading %s: %w", at, err)
	}
	return text.Bytes(), nil
}

// WriteText writes a whole file, following symbolic links. A file that exists keeps its mode and
// owner; a new one belongs to root and has the given mode. Directories above it are made.
func (t *Tree) WriteText(p string, text []byte, mode fs.FileMode) error {
	at, n, err := Resolve(t, p)
	if err != nil {
		return err
	}
	k := Node{Kind: layer.Regular, Mode: mode}
	if n != nil {
		if n.Kind != layer.Regular || n.Odd != "" {
			return fmt.Errorf("%s is not a regular file", at)
		}
		k.Mode, k.UID, k.GID = n.Mode, n.UID, n.GID
	}
	c := layer.Bytes(text)
	k.size, k.Content = c.Size, func() (layer.Content, error) { return c, nil }
	if err := t.MkdirAll(path.Dir(at), Root); err != nil {
		return err
	}
	return t.Set(at, &k)
}

// Sized returns a copy of a node whose content has a known size in bytes, so that limits count it
// before it is read.
func (n Node) Sized(size int64) *Node {
	n.size = size
	return &n
}
