//go:build !unix

package subprocess

import "os/exec"

// group leaves cmd as it is: it is killed when its context ends.
func group(*exec.Cmd) {}

// Kill does nothing: a program is killed at once here.
func Kill() {}
