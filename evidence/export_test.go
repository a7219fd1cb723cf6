package evidence

// SetMaxBundles changes a limit and returns what restores it.
func SetMaxBundles(n int) func() {
	was := maxBundles
	maxBundles = n
	return func() { maxBundles = was }
}
