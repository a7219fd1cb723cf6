package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// choice is the value of a flag that is one of some words.
type choice[T ~string] struct {
	value *T
	of    []T
}

// choose adds a flag that is one of some words, which completion offers.
func choose[T ~string](cmd *cobra.Command, value *T, name, usage string, of ...T) {
	c := choice[T]{value, of}
	cmd.Flags().Var(c, name, usage)
	offer(cmd, name, c.words()...)
}

// Set sets the value from a flag.
func (c choice[T]) Set(text string) error {
	if !slices.Contains(c.of, T(text)) {
		return fmt.Errorf("write %s", alternatives(c.Type()))
	}
	*c.value = T(text)
	return nil
}

// String returns the value as the flag has it.
func (c choice[T]) String() string {
	if c.value == nil { // pflag asks an empty one for the zero value
		return ""
	}
	return string(*c.value)
}

// Type names the values of the flag: "auto|require|off".
func (c choice[T]) Type() string { return strings.Join(c.words(), "|") }

func (c choice[T]) words() (all []string) {
	for _, v := range c.of {
		all = append(all, string(v))
	}
	return all
}
