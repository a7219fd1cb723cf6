// Package programs has no code: its module pins the programs that tests run and that no
// distribution packages, such as containerd 2 and docker 29, as tools in go.mod.
package programs
