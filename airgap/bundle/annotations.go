package bundle

import (
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/oci"
	"github.com/slipway-dev/slipway/platform"
)

// Annotations of index.json, which describe the bundle.
const (
	annotationFormat    = "dev.slipway.bundle.format"
	annotationProduct   = "dev.slipway.bundle.product"
	annotationVersion   = "dev.slipway.bundle.version"
	annotationPlatform  = "dev.slipway.bundle.platform"       // absent: for all platforms
	annotationSnapshot  = "dev.slipway.bundle.snapshot"       // "true": see [Contents]
	annotationStubBases = "dev.slipway.bundle.stub-bases"     // "true": see [Contents]
	annotationOmitted   = "dev.slipway.bundle.omitted"        // a JSON list of [Omission]
	annotationMetadata  = "dev.slipway.bundle.metadata-blobs" // their number
	annotationDelta     = "dev.slipway.bundle.delta"          // a JSON [Delta]
	annotationGroups    = "dev.slipway.bundle.groups"         // names, separated by spaces; absent: all images
	annotationNeeds     = "dev.slipway.bundle.needs"          // a JSON [Needs]
	annotationVolume    = "dev.slipway.bundle.volume"         // "1/3"
	annotationCreated   = "org.opencontainers.image.created"
)

// Annotations of the images in index.json. The first is containerd's, the second that of image
// layouts. A chart has neither: programs that import images would try to unpack it, and ignore
// what has no name.
const (
	annotationImageName    = "io.containerd.image.name"
	annotationRefName      = "org.opencontainers.image.ref.name"
	annotationListed       = "dev.slipway.image.listed"        // the reference in images.txt
	annotationFloating     = "dev.slipway.image.floating"      // "true": see [Image]
	annotationChart        = "dev.slipway.image.chart"         // in place of the first two, the name of a chart
	annotationFallback     = "dev.slipway.image.fallback"      // the bundle's platform: see [Image]
	annotationManifestOnly = "dev.slipway.image.manifest-only" // digests, separated by spaces
)

// Annotations of the referrers in index.json. Their descriptors follow those of all images and
// have no name, as in layouts by other tools: programs that import a bundle ignore them.
const (
	annotationSubjectDigest = "dev.slipway.referrer.subject-digest"
	annotationSubjectImage  = "dev.slipway.referrer.subject-image" // the name of the image
	annotationTag           = "dev.slipway.referrer.tag"           // cosign's
	// the artifact type, which not every reader knows as a field
	annotationArtifact = "dev.slipway.referrer.artifact-type"
)

var volumePattern = lazyregexp.New(`^[1-9][0-9]{0,4}/[1-9][0-9]{0,4}$`)

// describe reads the annotations of index.json.
func (h *head) describe() (*Contents, error) {
	a := h.index.Annotations
	c := &Contents{
		Format: Format, Product: a[annotationProduct], Version: a[annotationVersion],
		Snapshot: a[annotationSnapshot] == "true", StubBases: a[annotationStubBases] == "true",
		Volume: a[annotationVolume],
	}
	var err error
	if c.Created, err = time.Parse(time.RFC3339, a[annotationCreated]); err != nil {
		return nil, invalid("%s: %w", annotationCreated, err)
	}
	if p := a[annotationPlatform]; p != "" {
		if c.Platform, err = platform.Parse(p); err != nil {
			return nil, &FormatError{Err: err}
		}
	}
	if c.Volume != "" && !volumePattern.MatchString(c.Volume) {
		return nil, invalid("%s is %.100q, not 1/3 or the like", annotationVolume, c.Volume)
	}
	if c.Delta, err = readDelta(a[annotationDelta]); err != nil {
		return nil, err
	}
	if c.Groups, err = readGroups(a[annotationGroups]); err != nil {
		return nil, err
	}
	if c.Needs, err = readNeeds(a[annotationNeeds]); err != nil {
		return nil, err
	}
	if s := a[annotationOmitted]; s != "" {
		if err := oci.Decode(annotationOmitted, []byte(s), &c.Omitted, maxValues); err != nil {
			return nil, err
		}
	}
	return c, c.checkTexts()
}

// checkTexts checks texts that are only shown: each is a line that a reader can see all of.
func (c *Contents) checkTexts() error {
	for what, s := range map[string]string{annotationProduct: c.Product, annotationVersion: c.Version} {
		if !isText(s, maxNameLen) {
			return invalid("%s is %.100q, which is not a line of printable text", what, s)
		}
	}
	for _, o := range c.Omitted {
		if !isText(o.Name, maxText) || !isText(o.Reason, maxText) {
			return invalid("%s has %.100q: %.100q, which is not a line of printable text", annotationOmitted,
				o.Name, o.Reason)
		}
	}
	return nil
}

// parseDigests reads digests that spaces separate.
func parseDigests(text string) (map[v1.Hash]bool, error) {
	all := map[v1.Hash]bool{}
	for s := range strings.FieldsSeq(text) {
		h, err := v1.NewHash(s)
		if err != nil {
			return nil, invalid("%.100q is not a digest of a manifest", s)
		}
		all[h] = true
	}
	return all, nil
}
