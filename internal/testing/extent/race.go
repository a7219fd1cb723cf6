//go:build race

package extent

const raced = true
