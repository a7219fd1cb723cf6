package product

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/platform"
)

// OtherRelease returns an error where the tag of a reference names another Windows release than a
// platform's. A snapshot, which asks no registry, has nothing else to find that by.
func OtherRelease(reference string, p platform.Platform) error {
	tagged, _, _ := strings.Cut(reference, "@")
	tag, err := name.NewTag(tagged, name.WithDefaultTag(""))
	if err != nil || p.OS != platform.Windows || p.OSVersion == "" {
		return nil //nolint:nilerr // the parser has reported it
	}
	v := platform.TagVersion(tag.TagStr())
	if v == "" || v == platform.Short(p.OSVersion) {
		return nil
	}
	return fmt.Errorf("the tag of %s names Windows %s, and the platform is %s: name the image for that release", reference, platform.Release(v), p)
}
