// Package examples cuts the products of examples/ as a user does, with the command, and looks at
// what comes of it. What they take from the internet lies on loopback.
package examples
