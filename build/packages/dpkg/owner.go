package dpkg

import (
	"errors"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
)

// owner returns who a file of a package belongs to: the users of the tree that have the names in
// the archive, else its numbers.
func (db *database) owner(user, group string, uid, gid int) (u, g int, err error) {
	if u, err = db.account("/etc/passwd", user, uid); err != nil {
		return 0, 0, err
	}
	g, err = db.account("/etc/group", group, gid)
	return u, g, err
}

func (db *database) account(file, name string, number int) (int, error) {
	if name == "" || name == "root" && number == 0 {
		return number, nil
	}
	fields, err := tree.Account(db.t, file, name, 3)
	if unknown := (tree.UnknownNameError{}); errors.As(err, &unknown) {
		return number, nil
	}
	if err != nil {
		return 0, err
	}
	return fields[2], nil
}
