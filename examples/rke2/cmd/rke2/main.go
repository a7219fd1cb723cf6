// Rke2 is a stub of the program that RKE2 puts on every node, and prints its version and platform.
package main

import (
	"fmt"
	"runtime"
)

// version is set by the linker.
var version = "dev"

func main() {
	fmt.Printf("rke2 version %s (%s/%s)\n", version, runtime.GOOS, runtime.GOARCH)
}
