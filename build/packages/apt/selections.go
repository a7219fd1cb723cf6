package apt

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/packages"
	"github.com/slipway-dev/slipway/build/packages/maintainer"
)

func checkSelections(args []string) error {
	if len(args) > 2 || len(args) == 2 && strings.HasPrefix(args[1], "-") {
		return fmt.Errorf("%s is carried out with one file, or with what is piped into it", args[0])
	}
	return nil
}

// selections is debconf-set-selections: the answers stay in debconf's database.
func (m *Manager) selections(ctx context.Context, c packages.Call) error {
	var text string
	switch {
	case c.Unknown:
		return packages.Later(errors.New("the base is not at hand"))
	case len(c.Args) == 2:
		b, err := tree.ReadText(c.Tree, c.Args[1])
		if err != nil {
			return err
		}
		text = string(b)
	case c.Input == nil:
		return errors.New("it has no input: pipe a line into it, or name a file")
	default:
		var err error
		if text, err = c.Input(); err != nil {
			return err
		}
	}
	arch, err := architecture(c.Platform)
	if err != nil {
		return err
	}
	const end = "END_OF_SELECTIONS"
	if strings.Contains(text, end) {
		return fmt.Errorf("the text has the word %s", end)
	}
	return m.scripts(c, arch).run(ctx, c.Tree, maintainer.Script{
		Package: "debconf", Name: "config", Arch: "all", Path: "debconf-set-selections",
		Text: []byte("#!/bin/sh\ndebconf-set-selections <<'" + end + "'\n" +
			strings.TrimSuffix(text, "\n") + "\n" + end + "\n"),
	})
}
