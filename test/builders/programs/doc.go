// Package programs has no code: its module pins docker buildx, as a tool in go.mod. The module is
// separate because it needs other versions of many modules than other programs do.
package programs
