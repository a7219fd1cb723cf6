// Cosign2 is cosign 2.
package main

import (
	"fmt"
	"os"

	"github.com/sigstore/cosign/v2/cmd/cosign/cli"
)

func main() {
	if err := cli.New().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}
