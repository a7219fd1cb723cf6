//go:build !unix

package regular

import "os"

// flags are those of [os.Open]: other systems have no pipes in directories.
const flags = os.O_RDONLY
