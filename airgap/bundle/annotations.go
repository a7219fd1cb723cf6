package bundle

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
// layouts. A chart has neither: programs that import images would try to unpack it, and ignore what
// has no name.
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
