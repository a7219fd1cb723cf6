package consumer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// SetUp installs with apt, as root on Debian or Ubuntu, the consumers whose commands are not in
// PATH; elsewhere it prints the missing ones and how to get them. The result is the names of
// consumers that tests have to do without, for their SLIPWAY_WITHOUT. Those in SLIPWAY_WITHOUT
// already are not installed.
func SetUp(ctx context.Context) (without []string, err error) {
	excluded := unwanted()
	for _, name := range excluded {
		if _, ok := Find(name); !ok {
			return nil, fmt.Errorf("SLIPWAY_WITHOUT names %s; there are %s", name, names(All))
		}
	}
	wanted := slices.DeleteFunc(slices.Clone(All), func(c Consumer) bool { return slices.Contains(excluded, c.Name) })
	if lacking := missing(wanted); len(lacking) > 0 && hasApt() {
		if err := install(ctx, lacking); err != nil {
			return nil, fmt.Errorf("installing %s: %w; to go without, name it in SLIPWAY_WITHOUT", names(lacking), err)
		}
		if lacking = missing(wanted); len(lacking) > 0 {
			return nil, errors.New("apt installed its packages without a command of " + names(lacking))
		}
	}
	for _, c := range missing(wanted) {
		fmt.Fprintf(os.Stderr, "missing: %s, for %s; to get it: %s\n", c.Name, c.Purpose, c.remedy())
		without = append(without, c.Name)
	}
	return append(without, excluded...), nil
}

// missing returns the consumers of which a command is not in PATH, or that only root can use
// where this is another user.
func missing(list []Consumer) []Consumer {
	return slices.DeleteFunc(slices.Clone(list), func(c Consumer) bool {
		return c.Lacking() == "" && (!c.Root || os.Geteuid() == 0)
	})
}
