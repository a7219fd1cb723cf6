// Command build builds the programs that its arguments name, tools of the module in
// test/programs, where they are not in the user's cache.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/slipway-dev/slipway/internal/testing/testprog"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	for _, name := range os.Args[1:] {
		path, err := testprog.Build(ctx, name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1) //nolint:gocritic // the signals' handler ends with the process
		}
		fmt.Println(path)
	}
}
