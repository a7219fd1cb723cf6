// Package subprocess runs other programs so that they end with the work that needs them.
//
// A command has its own process group. When its context ends, the group is interrupted, and
// killed 5 seconds later: that reaches children, too (compilers, linkers, sleeping shells). A
// program in its own group cannot read from the terminal.
package subprocess

import (
	"context"
	"os/exec"
	"time"
)

// Grace is how long an interrupted program may take to end. Only tests change it.
var Grace = 5 * time.Second

// Command is exec.CommandContext for a program that ends, with its children, when ctx does. Its
// Wait returns soon after, even if a child keeps a pipe open.
func Command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = Grace + time.Second
	group(cmd)
	return cmd
}
