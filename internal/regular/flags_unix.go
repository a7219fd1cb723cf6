//go:build unix

package regular

import (
	"os"
	"syscall"
)

// flags open a pipe without waiting for its writer, and do not make a terminal that of the process.
const flags = os.O_RDONLY | syscall.O_NONBLOCK | syscall.O_NOCTTY
