package signature

// Local is local for tests.
var Local = local
