//go:build windows

// Command upcase prints what Windows compares instead of each character of 16 bits, one line for
// each that is not itself.
package main

import (
	"bufio"
	"fmt"
	"os"
	"syscall"
)

func main() {
	upcase := syscall.NewLazyDLL("ntdll.dll").NewProc("RtlUpcaseUnicodeChar")
	w := bufio.NewWriter(os.Stdout)
	for c := range uintptr(1 << 16) {
		r, _, _ := upcase.Call(c)
		if u := r & 0xffff; u != c {
			fmt.Fprintf(w, "%x %x\n", c, u)
		}
	}
	w.Flush()
}
