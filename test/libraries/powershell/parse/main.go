//go:build treesitter

// Command parse reads PowerShell from standard input and prints the text that is not PowerShell,
// a line each: where, what, and how it begins.
//
// The build needs CGO_CFLAGS=-I with the directory src of the grammar's module, which that
// module's own directives leave out; hence the build tag.
package main

import (
	"fmt"
	"io"
	"os"

	grammar "github.com/airbus-cert/tree-sitter-powershell/bindings/go"
	sitter "github.com/tree-sitter/go-tree-sitter"
)

func main() {
	b, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = parse(b)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func parse(b []byte) error {
	p := sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(sitter.NewLanguage(grammar.Language())); err != nil {
		return err
	}
	tree := p.Parse(b, nil)
	defer tree.Close()
	visit(tree.RootNode(), b)
	return nil
}

func visit(n *sitter.Node, b []byte) {
	if n.IsError() || n.IsMissing() {
		at := n.StartPosition()
		fmt.Printf("%d:%d: %s: %.60q\n", at.Row+1, at.Column+1, n.Kind(), n.Utf8Text(b))
		return
	}
	for i := range n.ChildCount() {
		visit(n.Child(i), b)
	}
}
