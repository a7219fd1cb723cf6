// Package jwtsvid replaces a client of SPIFFE, which knows who signs.
package jwtsvid

// Params are those of a request.
type Params struct{ Audience string }

// SVID does not occur.
type SVID struct{}

// Marshal returns nothing.
func (*SVID) Marshal() string { return "" }
