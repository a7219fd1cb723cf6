package imagetag

import "github.com/slipway-dev/slipway/internal/lazyregexp"

var fullForm = lazyregexp.New(`^v?[0-9]+\.[0-9]+\.[0-9]+(?:$|[^0-9])`)

// IsFull reports whether a tag begins with a full version, MAJOR.MINOR.PATCH, as 1.2.3, v1.2.3-rc.1
// and 1.2.3-alpine do. Such a tag names one image for ever, and never moves.
func IsFull(tag string) bool { return fullForm.MatchString(tag) }
