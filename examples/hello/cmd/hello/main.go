// Command hello prints a greeting, which is data of its image: ko's convention puts the files of
// kodata next to the program.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// version is set by the linker.
var version = "unknown"

func main() {
	greeting, err := os.ReadFile(filepath.Join(os.Getenv("KO_DATA_PATH"), "greeting.txt"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	who := os.Getenv("HELLO_NAME")
	if who == "" {
		who = "world"
	}
	fmt.Printf("%s, %s (hello %s)\n", strings.TrimSpace(string(greeting)), who, version)
}
