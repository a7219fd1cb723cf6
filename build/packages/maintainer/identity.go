package maintainer

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"github.com/slipway-dev/slipway/build/dockerfile/tree"
	"github.com/slipway-dev/slipway/build/layer"
)

// identity is a program that invents what tells a machine from others.
func identity(c *call) (int, error) {
	c.r.note(c.r.s, Identity, strings.Join(short(c.Args), " ")+
		": the identity that it makes is left out: each machine has to make its own")
	return 0, nil
}

// short returns words without those that are long.
func short(words []string) []string {
	words = words[:min(len(words), 6)]
	words = append([]string{path.Base(words[0])}, words[1:]...)
	for n, w := range words {
		if len(w) > 60 {
			words[n] = w[:60] + "…"
		}
	}
	return words
}

// invented is a program that prints an identity. What it prints here marks the files that it gets
// into, which are left out.
func invented(c *call) (int, error) {
	if _, err := identity(c); err != nil {
		return 0, err
	}
	c.r.invents = true
	return c.print(placeholder + "\n")
}

// placeholder is what a program prints in the place of an identity that it invents.
const placeholder = "@slipway-identity@"

// forget leaves out the files that an invented identity got into.
func (r *run) forget() error {
	if !r.invents {
		return nil
	}
	for _, p := range sortedKeys(r.t.Touched) {
		n, err := r.t.Lstat(p)
		if err != nil || n == nil || n.Kind != layer.Regular || n.Odd != "" {
			continue
		}
		content, err := n.Content()
		if err != nil {
			return err
		}
		if content.Size > maxIdentity {
			continue
		}
		text, err := tree.ReadText(r.t, p)
		if err != nil {
			return err
		}
		if bytes.Contains(text, []byte(placeholder)) {
			if err := r.t.Erase(p); err != nil {
				return err
			}
			r.note(r.s, Identity, p+" is left out: each machine has to make its own")
		}
	}
	return nil
}

// maxIdentity bounds the files in which an identity is looked for, in bytes.
const maxIdentity = 64 << 10

// nvme invents the name of a host.
func nvme(c *call) (int, error) {
	if len(c.args) > 0 && c.args[0] == "gen-hostnqn" {
		return invented(c)
	}
	return 0, errors.New("is a program, and no program is run: " + instead)
}
