// Command hostinfo says what it runs on.
package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	name, err := os.Hostname()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%s runs %s/%s\n", name, runtime.GOOS, runtime.GOARCH)
}
