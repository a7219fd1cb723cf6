package lint

// imageRules are about images: references, and the platforms in the lock or a registry.
var imageRules = []Rule{
	{
		ID: "image-reference", Severity: Error,
		Title:   "this is not an image reference",
		Reason:  "A runtime cannot tell what to pull, and the container is never started.",
		Instead: "`registry/repository@sha256:…`",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-names",
	},
	{
		ID: "image-ko", Severity: Error,
		Title: "only ko resolves this name",
		Reason: "`ko resolve` builds the program of such a name and replaces the name by the " +
			"image's reference. A runtime cannot pull `ko://…`, and a program that gets it in " +
			"an argument makes pods that never start. The rule looks at every text of a manifest.",
		Instead: "an image of that program in slipway.yaml, which then replaces the name, " +
			"or an entry of release.images that maps the name to an image",
		Link: "https://ko.build/features/k8s/",
	},
	{
		ID: "image-unpinned", Severity: Warning, Strict: true,
		Title: "the image is not pinned by digest",
		Reason: "A tag may name another image tomorrow, or on another node; " +
			"the image that it names now has not been checked.",
		Instead: "`repository@sha256:…` of the index",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy",
	},
	{
		ID: "image-digest", Severity: Error,
		Title: "no image has this digest",
		Reason: "The lock has another digest for the repository, " +
			"or the registry does not have it: the node cannot pull it.",
		Instead: "the digest in `release.lock.json`",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-names",
	},
	{
		ID: "image-unknown", Severity: Warning, Strict: true,
		Title: "the image is not in the lock",
		Reason: "Slipway does not know whether it exists and for which platforms, and no airgap " +
			"bundle has it. The rule looks at the images of pods and at references in all other texts (see above).",
		Instead: "a line in images.txt, or in the file that airgap.images names, " +
			"or `slipway lint -remote`, which asks its registry",
		Link: "https://github.com/slipway-dev/slipway#readme",
	},
	{
		ID: "image-unresolved", Severity: Warning,
		Title: "a field of a custom resource names an image or a chart, and gives no reference",
		Reason: "Its controller completes the name, or pulls the chart with the images in it. Slipway does not know " +
			"the result: no list, no pin and no airgap bundle has it. Neighboring fields complete an image: " +
			"registry, repository, image, tag, version, digest. The rule also warns of values of a chart that are " +
			"not YAML, or that no object of the manifests has.",
		Instead: "a tag or a digest in the fields, lines in images.txt for what the controller pulls, " +
			"and an entry under lint.allow that says so",
		Link: "https://github.com/slipway-dev/slipway/blob/main/docs/bundles.md",
	},
	{
		ID: "image-tag-and-digest", Severity: Error, ReleaseOnly: true,
		Title: "the image has a tag and a digest",
		Reason: "Runtimes ignore the tag, which may name something else. A release names each image " +
			"as its lock does, so that bundles and mirrors find it. Charts may have both, as their values need them.",
		Instead: "`repository@sha256:…` without the tag",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-names",
	},
	{
		ID: "image-windows-name", Severity: Error,
		Title: "an image that is named for Windows has no files for Windows",
		Reason: "A variable, a key or name of a ConfigMap, a container, " +
			"a field or a data value has Windows in its name (also nanoserver, servercore, ltsc2022), " +
			"and the image runs on Linux only. The program that gets it starts pods that fail.",
		Instead: "an image with a Windows platform, or another name",
		Link:    linkVersions,
	},
	{
		ID: "image-os", Severity: Error,
		Title: "the image has no platform with the pod's operating system",
		Reason: "A container runs on the kernel of its node: " +
			"a Windows node pulls only images for Windows, a Linux node only images for Linux.",
		Instead: "an image for the operating system, or a pod that selects one that the image has",
		Link:    linkVersions,
	},
	{
		ID: "image-architecture", Severity: Error,
		Title: "the image has no platform with an architecture of the nodes that the pod may run on",
		Reason: "The release is made for these nodes, and the scheduler may choose them; " +
			"their runtime finds nothing to pull.",
		Instead: "an image with the architecture, or nodeSelector `kubernetes.io/arch`",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#multi-architecture-images-with-image-indexes",
	},
	{
		ID: "image-windows-build", Severity: Error, OS: windows,
		Title: "no manifest of the image runs on a Windows build of the release",
		Reason: "A Windows container needs a host of a compatible build: " +
			"Windows Server 2019 runs its own build only, later releases also the build of the " +
			"LTSC release before them. The runtime of other nodes finds nothing to pull.",
		Instead: "an image with a manifest for the build, or nodeSelector `node.kubernetes.io/windows-build`",
		Link:    linkVersions,
		Changed: "Hosts needed the exact build; since Windows Server 2022, whose interface to containers is stable, " +
			"they run older builds, too.",
	},
	{
		ID: "image-windows-selector", Severity: Warning, OS: windows,
		Title: "the image is for one Windows build, and the pod does not select it",
		Reason: "The scheduler does not know for which build an image is. The pod also gets to nodes of other " +
			"builds, whose runtime finds nothing to pull: a DaemonSet on each of them.",
		Instead: "nodeSelector `node.kubernetes.io/windows-build`, a RuntimeClass that has it, or an image for each build",
		Link:    linkVersions,
	},
	{
		ID: "image-windows-fallback", Severity: Error, OS: windows, ReleaseOnly: true,
		Title: "a third-party image has no manifest for a Windows build of the release",
		Reason: "Nodes of that build run the manifest for the LTSC release before theirs, which " +
			"whoever made the image may not have tested there. HostProcess containers need no manifest for the build.",
		Instead: "a version of the image that has the build, nodeSelector `node.kubernetes.io/windows-build`, " +
			"or an entry under lint.allow that says why an older one will do",
		Link: linkVersions,
	},
}

// chartRules are about the values of charts.
var chartRules = []Rule{
	{
		ID: "chart-image-unrendered", Severity: Warning, ReleaseOnly: true,
		Title: "no case of the chart renders an image in its values",
		Reason: "Slipway pins what the chart renders with its own values and with each case. Whoever " +
			"enables the rest gets the image as the values name it: by a tag, perhaps of another release or registry.",
		Instead: "a case under `cases` of the chart in slipway.yaml, with values that enable what uses it",
		Link:    "https://github.com/slipway-dev/slipway/blob/main/docs/charts.md",
	},
}

// productRules are about slipway.yaml, and need all manifests of its release.
var productRules = []Rule{
	{
		ID: "product-undecided", Severity: Error,
		Title: "only a person knows a fact about the product, and nobody has decided it",
		Reason: "Under undecided stands what nothing in the repository proves, or what two places say differently: " +
			"slipway init writes there what it would have to guess, such as for which platforms a release is.",
		Instead: "the right value under its key, and no such entry under undecided",
		Link:    "https://github.com/slipway-dev/slipway/blob/main/docs/init.md",
	},
	{
		ID: "image-unused", Severity: Warning,
		Title: "no manifest names the image",
		Reason: "The image is built, pushed and packed, but nothing in release.yaml runs it or passes it to a " +
			"program. Often a template still names another image. The rule does not apply to a product without " +
			"templates, nor to the image that airgap.firstImage names.",
		Instead: "the image in a template, `{{image \"NAME\"}}` in release.values, or no such image",
		Link:    "https://github.com/slipway-dev/slipway#readme",
	},
	{
		ID: "product-unused", Severity: Warning,
		Title: "nothing uses the entry of slipway.yaml",
		Reason: "A base without an image, a program without an image or artifact, a source without a program, " +
			"image or template: the entry is left over, or a name elsewhere is wrong.",
		Instead: "a use of it, or no such entry",
		Link:    "https://github.com/slipway-dev/slipway#readme",
	},
}

// kpackRules are about kpack's Image and Build.
var kpackRules = []Rule{
	{
		ID: "kpack-os-selector", Severity: Error, check: kpackSelector,
		Title: "kpack chooses the operating system of a build itself",
		Reason: "The builder's stack determines it. kpack's webhook refuses an Image or Build " +
			"that selects `kubernetes.io/os`.",
		Instead: "remove the label; kpack copies other labels, tolerations and affinity to the build's pod",
		Link:    linkKpack,
	},
	{
		ID: "kpack-windows-toleration", Severity: Warning,
		Title: "builds on Windows do not tolerate the usual taint of Windows nodes",
		Reason: "Clusters keep Linux pods away from their Windows nodes with the taint `os=windows:NoSchedule` or " +
			"`node.kubernetes.io/os=windows:NoSchedule`. kpack adds no tolerations, so the build's pod stays pending.",
		Instead: "`tolerations: [{key: os, value: windows, effect: NoSchedule}]`",
		Link:    linkTaints,
	},
}

// allowRules are about comments and entries that allow findings. Nothing allows their own
// findings.
var allowRules = []Rule{
	{
		ID: "allow-unknown", Severity: Error,
		Title:   "the rule to allow does not exist",
		Reason:  "A misspelled rule allows nothing.",
		Instead: "`# slipway:allow RULE REASON`, with a rule of this page",
		Link:    rulesPage,
	},
	{
		ID: "allow-reason", Severity: Error,
		Title:   "a finding is allowed without a reason",
		Reason:  "A later reader cannot tell whether the reason still applies.",
		Instead: "`# slipway:allow RULE REASON`",
		Link:    rulesPage,
	},
	{
		ID: "allow-unused", Severity: Warning,
		Title: "this allows nothing",
		Reason: "The finding is gone, or the comment is not on the line of the finding, " +
			"the line above it or above the object.",
		Instead: "remove it, or move it",
		Link:    rulesPage,
	},
}
