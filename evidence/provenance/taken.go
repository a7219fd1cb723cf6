package provenance

import (
	"net/url"
	"strings"

	"github.com/slipway-dev/slipway/internal/imagename"
	"github.com/slipway-dev/slipway/internal/purl"
	"github.com/slipway-dev/slipway/lock"
)

// taken is a manifest that another builder made.
func taken(i lock.Image, c lock.Child) (d Dependency, err error) {
	local := imagename.IsFile(c.Prebuilt.From) || c.Prebuilt.Builder != ""
	if local {
		d = Dependency{URI: purl.ImageFile(c.Prebuilt.From), Digest: Digest{SHA256: c.Digest.Hex}}
	} else if d, err = image(c.Prebuilt.From, c.Digest); err != nil {
		return d, err
	}
	d.Annotations = Annotations{
		Kind: KindPrebuilt, Source: i.Name, Platform: c.Platform.String(), Builder: c.Prebuilt.Builder,
		Local: local,
	}
	return d, nil
}

// prebuilt is a prebuilt program.
func prebuilt(p lock.Prebuilt) Dependency {
	d := Dependency{
		URI: p.From, Digest: Digest{SHA256: p.Digest.Hex},
		Annotations: Annotations{Kind: KindProgram, Platform: p.Platform.String()},
	}
	if p.Member != "" {
		d.Digest.SHA256 = p.ArchiveDigest.Hex
	}
	if !strings.HasPrefix(d.URI, "https://") && !strings.HasPrefix(d.URI, "http://") {
		d.URI = "file:" + (&url.URL{Path: p.From}).EscapedPath()
	}
	return d
}
