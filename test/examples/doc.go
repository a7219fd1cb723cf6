// Package examples releases the products of examples/ as a user does, with the command, and checks
// the result. What they download is served on loopback.
package examples
