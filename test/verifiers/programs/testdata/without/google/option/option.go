// Package option replaces options of Google. Only tests of dependencies import it.
package option
