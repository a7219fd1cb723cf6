package lint

// Documentation that rules of published images refer to.
const (
	linkIndex    = "https://github.com/opencontainers/image-spec/blob/main/image-index.md"
	linkAttested = "https://docs.docker.com/build/metadata/attestations/attestation-storage/"
	linkReleases = "https://learn.microsoft.com/windows-server/get-started/windows-server-release-info"
)

// indexRules are about images as registries and archives have them. slipway audit looks for them.
var indexRules = []Rule{
	{
		ID: "index-os-version", Severity: Error, OS: windows,
		Title: "a Windows entry of the index has no os.version",
		Reason: "containerd and Docker choose among Windows entries by the version in the index, and do not " +
			"open the images. An entry without one is taken on any Windows host of the architecture, " +
			"also by a host that cannot run it: its containers end with `The container operating system " +
			"does not match the host operating system`.",
		Instead: "the os.version of the image's own configuration in the index: `slipway audit -fix`",
		Link:    linkIndex,
		Seen: "dapr 1.16.9, whose index was put together with `docker buildx imagetools create` " +
			"([9699](https://github.com/dapr/dapr/issues/9699))",
	},
	{
		ID: "index-os-version-differs", Severity: Error, OS: windows,
		Title: "the index gives another Windows build than the image's configuration",
		Reason: "A host chooses by the index, and then refuses or cannot start what it has pulled, or takes " +
			"an image for a build that it does not run.",
		Instead: "the os.version of the image's own configuration in the index, or an image that was built " +
			"for this one",
		Link: linkIndex,
		Seen: "RKE2's archive for Windows Server 2025, which has the images of 2022",
	},
	{
		ID: "index-platform-differs", Severity: Error,
		Title: "the index gives another platform than the image's configuration",
		Reason: "Nodes choose by the index: a node pulls an image for another operating system or architecture, and " +
			"its programs do not start: `exec format error`. An artifact with a platform, in front of the image for " +
			"it, is pulled in its place.",
		Instead: "the platform of the image's own configuration in the index, or the right image",
		Link:    linkIndex,
	},
	{
		ID: "index-process", Severity: Error, OS: linux,
		Title: "no container starts with the working directory, the environment or the command of the image",
		Reason: "A runtime refuses a working directory that is not absolute or is a file, and a variable without a " +
			"name: whoever pulls the image sees it when a pod starts.",
		Instead: "an absolute WORKDIR, and variables with a name",
		Link:    "https://github.com/opencontainers/runtime-spec/blob/main/config.md#process",
	},
	{
		ID: "index-duplicate", Severity: Warning,
		Title: "the index has two images for one platform",
		Reason: "Runtimes take the first, tools that copy or scan by platform take one or the other, and " +
			"which of them was meant cannot be told.",
		Instead: "one entry for each platform and Windows build: `slipway audit -fix` keeps the first, which " +
			"runtimes take",
		Link: linkIndex,
	},
	{
		ID: "index-no-platform", Severity: Error,
		Title: "an entry of the index has no platform",
		Reason: "containerd takes the entry on every node whose platform it finds in the configuration, Docker on " +
			"none: the pulled image depends on the runtime. No node takes an image whose configuration lacks a " +
			"platform, too.",
		Instead: "the platform of the image's own configuration in the index, or in the configuration",
		Link:    linkIndex,
	},
	{
		ID: "index-attestation", Severity: Note,
		Title: "the index has attestations for the platform unknown/unknown",
		Reason: "BuildKit stores provenance and SBOMs so. `docker manifest` and registries' pages list them " +
			"as images, and tools that take every entry for an image fail on them.",
		Instead: "`--provenance=false` where nothing reads them, or referrers, as cosign and ORAS make them",
		Link:    linkAttested,
	},
	{
		ID: "index-missing", Severity: Error,
		Title:   "the index lists a manifest that is not there",
		Reason:  "A node for which the entry is gets `not found` when it pulls the image.",
		Instead: "an index over the manifests that are there, or a copy with all of them",
		Link:    linkIndex,
	},
	{
		ID: "index-unreadable", Severity: Error,
		Title: "a document of the image is damaged",
		Reason: "The document is not a manifest or configuration of an image, has another digest or size, or is " +
			"larger than runtimes read. A registry that does not answer is not a finding: the exit code is 3 then.",
		Instead: "an image that a builder or a copy has written completely",
		Link:    linkIndex,
	},
	{
		ID: "index-empty", Severity: Error,
		Title:   "the index lists no image",
		Reason:  "No node finds anything in it: `no matching manifest`.",
		Instead: "an index over the images, or the tag removed",
		Link:    linkIndex,
	},
	{
		ID: "index-nested", Severity: Note,
		Title: "the index lists an index",
		Reason: "containerd and podman look for an image in both. Docker without containerd's store refuses the " +
			"inner one, and tools that copy or scan by platform often take it for an image.",
		Instead: "one index over all images",
		Link:    linkIndex,
	},
	{
		ID: "index-mixed", Severity: Note,
		Title: "documents of Docker and of OCI are mixed",
		Reason: "An index of one form lists manifests of the other. containerd and Docker read that; Azure's " +
			"and other registries refuse it, and tools that convert the form give other digests.",
		Instead: "one form for index and manifests",
		Link:    linkIndex,
	},
	{
		ID: "index-single", Severity: Note, OS: windows,
		Title: "the image is one manifest for Windows, without an index",
		Reason: "Every node pulls it, also those of Linux and of other builds, and finds out when it starts " +
			"it. A manifest says nothing of os.version.",
		Instead: "an index, even over one image: it has os.version",
		Link:    linkIndex,
	},
	{
		ID: "index-windows-release", Severity: Note, OS: windows,
		Title: "the image has no entry for a Windows Server release that Microsoft supports",
		Reason: "Hosts of Windows Server 2019 run images of their own build only. Later hosts fall back to " +
			"an image for the release before theirs, which whoever made the image may not have tested " +
			"there. Of an image that a product bundles, the releases are those for which the product has images.",
		Instead: "an image for the release, such as a newer version, or a word about it in the product's " +
			"documentation",
		Link: linkReleases,
	},
	{
		ID: "index-order", Severity: Note, OS: windows,
		Title: "an older Windows entry precedes the entry that hosts should take",
		Reason: "containerd before 2.2 takes the first entry that the host runs, and so does Docker with " +
			"containerd's store: hosts of Windows Server 2025 take the image for 2022 if that comes first. " +
			"Docker with its own store takes the host's own build, or else the first entry that is not newer " +
			"than the host, also if the host cannot run it. Only containerd 2.2 looks for the newest itself.",
		Instead: "the newest Windows entry first: `slipway audit -fix`",
		Link:    "https://github.com/containerd/platforms/pull/25",
		Seen: "containerd ([11366](https://github.com/containerd/containerd/issues/11366)), Docker Desktop " +
			"([13986](https://github.com/docker/for-win/issues/13986))",
	},
	{
		ID: "index-windows-ended", Severity: Note, OS: windows,
		Title:   "the image has an entry for a Windows release that Microsoft no longer supports",
		Reason:  "Its base gets no updates any more, and no supported host needs it.",
		Instead: "an index without the entry",
		Link:    linkReleases,
	},
	{
		ID: "index-platform-lost", Severity: Warning,
		Title: "nodes that ran the version before find nothing in this one",
		Reason: "Nodes of that platform run the version before and find none to update to: `no matching manifest`. " +
			"Most often a job of the pipeline failed or was taken out, and the index has the remaining images only.",
		Instead: "an image for the platform, or a word about its end in the release's notes, and an entry " +
			"of `-allow` or lint.allow",
		Link: linkIndex,
		Seen: "calico ([11330](https://github.com/projectcalico/calico/issues/11330)), drone-docker " +
			"([514](https://github.com/drone-plugins/drone-docker/issues/514))",
	},
	{
		ID: "index-platform-absent", Severity: Error,
		Title:   "the image lacks a platform that was asked for",
		Reason:  "`-platform` names what each image has to be for. Nodes of that platform cannot run it.",
		Instead: "an image for the platform",
		Link:    linkIndex,
	},
	{
		ID: "index-node", Severity: Error,
		Title: "nodes run no entry of the image",
		Reason: "`-nodes` has nodes of an operating system that the image is for, and of an architecture or " +
			"a Windows build that it is not for. Of an image that a product bundles, nodes are those of the " +
			"Windows builds for which the product has images; which of them pull it is not known, so that " +
			"this is a warning.",
		Instead: "an image for these nodes, such as a newer version, or a node selector that keeps its pods " +
			"away from them",
		Link: linkVersions,
	},
	{
		ID: "index-node-revision", Severity: Note, OS: windows,
		Title: "nodes have an older revision of Windows than the image that they run",
		Reason: "Microsoft says that revisions do not count. Images with an update have all the same failed " +
			"on hosts without it, with 0xc0370106.",
		Instead: "nodes with the update, or an image of their revision",
		Link:    "https://github.com/microsoft/Windows-Containers/issues/591",
		Seen:    "GitHub's runners ([11582](https://github.com/actions/runner-images/issues/11582))",
	},
	{
		ID: "chart-images", Severity: Warning,
		Title: "a chart's annotation lists other images than the chart renders",
		Reason: "Artifact Hub scans, and tools for airgaps copy, what `artifacthub.io/images` and " +
			"`helm.sh/images` list, and not what the chart makes.",
		Instead: "the list that the chart renders, with its own values or those of a `-case`",
		Link:    "https://artifacthub.io/docs/topics/annotations/helm/",
	},
}
