// Package docs runs the shell commands of the documentation as a reader does: block after
// block of a page, in one shell, on a machine of its own, with the product that the page assumes.
package docs
