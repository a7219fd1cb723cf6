package archive

import (
	"fmt"
	"iter"
	"path"
	"slices"
	"strings"
)

// Misnamed returns an error if one of the names differs from the wanted one, which is not among
// them, only by backslashes and case: some programs on Windows write archives so, and nothing that
// reads images finds the file.
func Misnamed(names iter.Seq[string], wanted string) error {
	for _, name := range slices.Sorted(names) {
		if strings.EqualFold(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/"+wanted) {
			return fmt.Errorf("it has %.200q in place of %q: make it with a tar that writes slashes and keeps case",
				name, wanted)
		}
	}
	return nil
}
