package bundle

import (
	"strings"

	"github.com/slipway-dev/slipway/internal/howto"
	"github.com/slipway-dev/slipway/internal/imagename"
)

// repository returns a tagged name without its tag.
func repository(tagged string) string { return tagged[:strings.LastIndex(tagged, ":")] }

// isNamed reports whether ref names the image: by tag, by digest or by both.
func (i Image) isNamed(ref string) bool {
	base, digest, pinned := strings.Cut(ref, "@")
	tagged, err := imagename.Bundled(ref, i.Digest())
	if err != nil || pinned && digest != i.Digest().String() {
		return false
	}
	hasTag := strings.Contains(base[strings.LastIndex(base, "/")+1:], ":")
	return tagged == i.Name || pinned && !hasTag && repository(tagged) == repository(i.Name)
}

func listCommand() string { return howto.Run("airgap list") }
