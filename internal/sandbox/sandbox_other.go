//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"os/exec"
)

var systemDirs []string

func (b *Box) try(context.Context) Protection {
	return Protection{Lacks: "it needs Linux"}
}

func (b *Box) root() string { return "" }

func (p *policy) isolate(*exec.Cmd) {}

func (p *policy) enter() error { return errors.New("the sandbox needs Linux") }
