package entrypoint

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/image/layer"
	"github.com/slipway-dev/slipway/image/tree"
	"github.com/slipway-dev/slipway/platform"
)

// User returns why a runtime does not know the user of an image for Linux; "" if it does. Names are
// looked up in the image, root like every other.
func (i Image) User() (why string, err error) {
	user, group, _ := strings.Cut(i.Config.User, ":")
	for _, of := range []struct {
		name, file string
		fields     int
	}{{user, "/etc/passwd", 4}, {group, "/etc/group", 3}} {
		n, err := strconv.ParseInt(of.name, 10, 64)
		switch {
		case of.name == "":
			continue
		case strings.Contains(of.name, ":"):
			return fmt.Sprintf("the user is %.100q: write USER, or USER:GROUP", i.Config.User), nil
		case err == nil && (n < 0 || n > math.MaxInt32), errors.Is(err, strconv.ErrRange):
			return fmt.Sprintf("the user is %.100q, and numbers of users go from 0 to %d", i.Config.User,
				math.MaxInt32), nil
		case err == nil:
			continue
		}
		_, err = tree.Account(i.Tree, of.file, of.name, of.fields)
		if unknown := (tree.UnknownNameError{}); errors.As(err, &unknown) {
			return fmt.Sprintf("the user is %.100q, and %s of the image does not have it: write the number",
				i.Config.User, of.file), nil
		} else if err != nil {
			return "", err
		}
	}
	return "", nil
}

// forbidden returns why the image's user may not execute the file n, which is found at p and is at
// to; "" if it may. Root enters every directory, and needs one bit to execute a file
// (path_resolution(7)).
func (i Image) forbidden(p, to string, n *tree.Node) (why string, err error) {
	if i.On.OS == platform.Windows {
		return "", nil
	}
	user := cmp.Or(i.Config.User, "root")
	o, err := i.owner()
	if err != nil {
		return "", err
	}
	if !lets(o, n, execute) {
		return fmt.Sprintf("%s has mode %04o, which does not let user %s execute it: copy it with --chmod=0755",
			p, n.Mode.Perm(), user), nil
	}
	if o.UID == 0 {
		return "", nil
	}
	for _, name := range []string{p, to} {
		for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
			_, n, err := tree.Resolve(i.Tree, dir)
			if err != nil {
				return "", err
			}
			if n != nil && n.Kind == layer.Dir && !lets(o, n, execute) {
				return fmt.Sprintf("the directory %s has mode %04o, which does not let user %s enter it: "+
					"give it mode 0755", dir, n.Mode.Perm(), user), nil
			}
		}
	}
	return "", nil
}

// unread returns why the interpreter of a script, which the image's user starts, may not read it.
func (i Image) unread(shown string, n *tree.Node) (why string, err error) {
	o, err := i.owner()
	if err != nil || lets(o, n, read) {
		return "", err
	}
	return fmt.Sprintf("%s has mode %04o, which does not let user %s read it, as the interpreter of a script does: "+
		"copy it with --chmod=0755", shown, n.Mode.Perm(), i.Config.User), nil
}

// owner returns the numbers of the image's user, and root for an unknown one, which [Image.User]
// reports.
func (i Image) owner() (*tree.Owner, error) {
	o, err := tree.LookUp(i.Tree, i.Config.User)
	if unknown := (tree.UnknownNameError{}); errors.As(err, &unknown) {
		return &tree.Owner{}, nil
	}
	return o, err
}

// Bits of a mode, as those of all others.
const (
	execute = 0o1 // a file, or to enter a directory
	read    = 0o4
)

// lets reports whether a user has a bit of a mode. What groups it has besides its own is not known,
// so that those of other groups count as its own.
func lets(o *tree.Owner, n *tree.Node, bit fs.FileMode) bool {
	switch o.UID {
	case 0:
		return n.Kind == layer.Dir || bit == read || n.Mode&0o111 != 0
	case n.UID:
		return n.Mode&(bit<<6) != 0
	}
	return n.Mode&(bit<<3|bit) != 0
}
