//go:build !unix

package source

import "os/exec"

// interruptible leaves cmd as it is: it is killed when its context ends.
func interruptible(*exec.Cmd) {}
