// Package explore draws products and walks through the slipway command, and checks what must hold
// for every one of them.
//
// A product is a slipway.yaml with the files that it names: every key can be drawn. A walk is a
// sequence of commands in one directory, with a registry of its own: every flag of every command
// can be drawn. Laws are checked after each command, whatever was drawn: a command ends with exit
// code 0, or with errors of one line; check and release agree; a second release changes nothing;
// shards of any number make the bytes that one machine makes; what slipway made it verifies, and
// refuses after any change.
//
// A failure is shrunk by the rapid library to a small product and a short walk, and printed as a
// testscript. `go test` walks a few ways, the same each time; `go tool mage explore -time=2h` walks
// on.
package explore
