// Rke2 stands for the program that RKE2 puts on every node; it says what it was built for.
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
