//go:build !race

package renderer

const race = false
