package evidence

import "github.com/slipway-dev/slipway/airgap/bundle"

// SetMaxBundles changes a limit and returns what restores it.
func SetMaxBundles(n int) func() {
	was := maxBundles
	maxBundles = n
	return func() { maxBundles = was }
}

// SetMaxListed changes a limit and returns what restores it.
func SetMaxListed(n int) func() {
	was := maxListed
	maxListed = n
	return func() { maxListed = was }
}

// Prove verifies the signatures of a bundle, and returns what compares it with the one that is
// read.
func Prove(path string, p Policy) (unchanged func(*bundle.Bundle) error, err error) {
	v := &verification{GivenOptions: GivenOptions{Policy: p}, proven: map[string]*bundle.Bundle{}}
	_, err = v.images([]string{path}, nil)
	return v.unchanged(path), err
}
