// Package ast replaces the Rego language.
package ast

// RegoVersion is a version of the language.
type RegoVersion int

// RegoV0 is the first version.
const RegoV0 RegoVersion = 0
