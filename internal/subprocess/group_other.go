//go:build !unix

package subprocess

import "os/exec"

// group leaves cmd unchanged: it is killed when its context ends.
func group(*exec.Cmd) {}

// Kill does nothing: a program is killed at once on this system.
func Kill() {}
