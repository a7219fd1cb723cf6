package mutants

import "slices"

// All are the mutants. Their numbers are those of `go tool mage mutants -mutant=N`, from 1.
var All = slices.Concat(files, names, sends, products, shells, evidences)
