// Package cue replaces the CUE language.
package cue

import "errors"

// Value is what a policy evaluates to.
type Value struct{}

// Err returns why there is no value.
func (Value) Err() error { return errors.New("this program was built without CUE") }

// Validate returns the error of the value.
func (v Value) Validate() error { return v.Err() }

// Unify returns the value.
func (v Value) Unify(Value) Value { return v }
