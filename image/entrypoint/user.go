package entrypoint

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slipway-dev/slipway/image/tree"
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
