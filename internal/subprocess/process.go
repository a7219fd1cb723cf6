// Package subprocess runs other programs so that they end with the work that needs them.
//
// A command has a process group of its own. Where its context ends, the group is interrupted, and
// killed [Grace] later: that reaches what the program has started, too (compilers, linkers,
// sleeping shells). A program in a group of its own cannot read from the terminal.
package subprocess

import (
	"context"
	"os/exec"
	"time"
)

// Grace is how long a program that was interrupted may take to end.
const Grace = 5 * time.Second

// Command is exec.CommandContext for a program that ends, with its children, when ctx does. Its
// Wait returns soon after, even where a child still holds an open pipe.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = Grace + time.Second
	group(cmd)
	return cmd
}
