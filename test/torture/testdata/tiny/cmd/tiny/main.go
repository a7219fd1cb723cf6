// Tiny says which version it is.
package main

var version string

func main() { println("tiny", version) }
