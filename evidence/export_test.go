package evidence

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
