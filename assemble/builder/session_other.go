//go:build !unix

package builder

import "os/exec"

// detach leaves cmd unchanged.
func detach(*exec.Cmd) {}

// killedBy returns "": a program has no signals on this system.
func killedBy(*exec.ExitError) string { return "" }

// hangUp leaves cmd unchanged.
func hangUp(*exec.Cmd) (ended func()) { return func() {} }
