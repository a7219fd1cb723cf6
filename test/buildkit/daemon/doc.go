// Package daemon has no code: its module pins the BuildKit daemon and client that the tests of
// test/buildkit build and start. The module is separate because they need other versions of many
// modules than the tests do.
package daemon
