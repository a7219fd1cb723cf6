// Package load replaces the CUE language.
package load

import "errors"

// Instance is a policy.
type Instance struct{ Err error }

// Instances returns a policy that cannot be read.
func Instances([]string, *struct{}) []*Instance {
	return []*Instance{{Err: errors.New("this program was built without CUE")}}
}
