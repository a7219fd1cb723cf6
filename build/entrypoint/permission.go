package entrypoint

import (
	"cmp"
	"errors"
	"fmt"
	"path"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
	"github.com/slipway-dev/slipway/platform"
)

// forbidden returns why the image's user may not execute the file n, which is found at p and is at
// to; "" if it may. Root enters every directory, and needs one bit to execute a file (path_resolution(7)).
func (i Image) forbidden(p, to string, n *tree.Node) (why string, err error) {
	if i.On.OS == platform.Windows {
		return "", nil
	}
	user := cmp.Or(i.Config.User, "root")
	o, err := tree.LookUp(i.Tree, i.Config.User)
	if unknown := (tree.UnknownNameError{}); errors.As(err, &unknown) { // which another rule is about
		o = &tree.Owner{}
	} else if err != nil {
		return "", err
	}
	if !executes(o, n) {
		return fmt.Sprintf("%s has mode %#o, which does not let user %s execute it: copy it with --chmod=0755",
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
			if n != nil && n.Kind == layer.Dir && !executes(o, n) {
				return fmt.Sprintf("the directory %s has mode %#o, which does not let user %s enter it: "+
					"give it mode 0755", dir, n.Mode.Perm(), user), nil
			}
		}
	}
	return "", nil
}

// executes reports whether a user may execute a file or enter a directory. What groups it has
// besides its own is not known, so that those of other groups count as its own.
func executes(o *tree.Owner, n *tree.Node) bool {
	switch o.UID {
	case 0:
		return n.Kind == layer.Dir || n.Mode&0o111 != 0
	case n.UID:
		return n.Mode&0o100 != 0
	}
	return n.Mode&0o011 != 0
}
