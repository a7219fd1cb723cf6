//go:build race

package renderer

const race = true
