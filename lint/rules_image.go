package lint

// imageRules are about what the lock or a registry says of a pod's images.
var imageRules = []Rule{
	{
		ID: "image-reference", Severity: Error,
		Title:   "this is no image reference",
		Reason:  "A runtime cannot tell what to pull, and the container is never started.",
		Instead: "`registry/repository@sha256:…`",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-names",
	},
	{
		ID: "image-ko", Severity: Error,
		Title:   "the image is a name that only ko resolves",
		Reason:  "`ko resolve` builds the program of such a name and writes the image's reference in its place. Nobody else does: a runtime cannot pull `ko://…`, and a program that gets it in an argument makes pods that never start. It is found anywhere in a manifest.",
		Instead: "the reference of the image that has the program: in templates of slipway.yaml `{{image \"NAME\"}}` as a value",
		Link:    "https://ko.build/features/k8s/",
	},
	{
		ID: "image-unpinned", Severity: Warning, Strict: true,
		Title:   "the image is not pinned by digest",
		Reason:  "A tag may stand for something else tomorrow, or on another node; what it stands for has not been looked at.",
		Instead: "`repository@sha256:…` of the index",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy",
	},
	{
		ID: "image-digest", Severity: Error,
		Title:   "there is no image of this digest",
		Reason:  "The lock has another digest for the repository, or the registry has none such: the node cannot pull it.",
		Instead: "the digest that `release.lock.json` has",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-names",
	},
	{
		ID: "image-unknown", Severity: Warning, Strict: true,
		Title:   "the image is not in the lock",
		Reason:  "Nothing is known of it: whether it is there, and for which systems. It is in no airgap bundle either. Found are the images of pods and, in all other texts, what can be nothing but a reference (see above).",
		Instead: "a line in images.txt, or in the file that airgap.images names, or `slipway lint -remote`, which asks its registry",
		Link:    "https://github.com/slipway-dev/slipway#readme",
	},
	{
		ID: "image-tag-and-digest", Severity: Error, ReleaseOnly: true,
		Title:   "the image has a tag and a digest",
		Reason:  "Runtimes ignore the tag, which may name something else. A release names each image as its lock does, so that bundles and mirrors find it.",
		Instead: "`repository@sha256:…` without the tag",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#image-names",
	},
	{
		ID: "image-windows-name", Severity: Error,
		Title:   "an image that is named for Windows has no files for Windows",
		Reason:  "A variable, a key or name of a ConfigMap, a container, a field or a data value has Windows in its name (also nanoserver, servercore, ltsc2022), and the image runs on Linux only. The program that gets it starts pods that fail.",
		Instead: "an image with a Windows platform, or another name",
		Link:    linkVersions,
	},
	{
		ID: "image-os", Severity: Error,
		Title:   "the image has nothing for the pod's operating system",
		Reason:  "A container runs on the kernel of its node: a node with Windows pulls only images made for Windows, one with Linux only those for Linux.",
		Instead: "an image that has the system, or a pod that selects one that the image has",
		Link:    linkVersions,
	},
	{
		ID: "image-architecture", Severity: Error,
		Title:   "the image has nothing for an architecture of the nodes that the pod may land on",
		Reason:  "The release is made for these nodes, and the pod may be put on them; the runtime finds nothing to pull there.",
		Instead: "an image that has the architecture, or nodeSelector `kubernetes.io/arch`",
		Link:    "https://kubernetes.io/docs/concepts/containers/images/#multi-architecture-images-with-image-indexes",
	},
	{
		ID: "image-windows-build", Severity: Error, OS: windows,
		Title:   "the image has nothing that runs on a Windows build of the release",
		Reason:  "A Windows container needs a host of a fitting build: Windows Server 2019 runs its own build only, later ones also that of the LTSC release before theirs. The runtime finds nothing to pull on other nodes.",
		Instead: "an image with a child for the build, or nodeSelector `node.kubernetes.io/windows-build`",
		Link:    linkVersions,
		Changed: "Hosts needed the exact build; since Windows Server 2022, whose interface to containers is stable, they run older ones, too.",
	},
}

// productRules are about slipway.yaml, where all manifests of its release are there.
var productRules = []Rule{
	{
		ID: "image-unused", Severity: Warning,
		Title:   "no manifest names the image",
		Reason:  "It is built, pushed and packed, and nothing in release.yaml runs it or hands it to a program. Often a template still names another image. A product without templates may use its images in ways of its own, and the image that airgap.first names is not for pods.",
		Instead: "the image in a template, `{{image \"NAME\"}}` among release.values, or no such image",
		Link:    "https://github.com/slipway-dev/slipway#readme",
	},
	{
		ID: "product-unused", Severity: Warning,
		Title:   "nothing uses the entry of slipway.yaml",
		Reason:  "A base that no image stands on, a program that is in no image and no artifact, a source of no program, image or template: it is a rest, or a name somewhere is wrong.",
		Instead: "a use of it, or no such entry",
		Link:    "https://github.com/slipway-dev/slipway#readme",
	},
}

// kpackRules are about kpack's Image and Build.
var kpackRules = []Rule{
	{
		ID: "kpack-os-selector", Severity: Error, check: kpackSelector,
		Title:   "kpack chooses the operating system of a build itself",
		Reason:  "The system follows from the builder's stack. kpack's webhook refuses an Image or Build that selects `kubernetes.io/os`.",
		Instead: "leave the label out; other labels, tolerations and affinity are handed on to the build's pod",
		Link:    linkKpack,
	},
	{
		ID: "kpack-windows-toleration", Severity: Warning,
		Title:   "builds on Windows do not tolerate the usual taint of Windows nodes",
		Reason:  "Clusters keep Linux pods off their Windows nodes with the taint `os=windows:NoSchedule` or `node.kubernetes.io/os=windows:NoSchedule`. kpack adds no tolerations: without them the build's pod stays pending there.",
		Instead: "`tolerations: [{key: os, value: windows, effect: NoSchedule}]`",
		Link:    linkTaints,
	},
}

// allowRules are about the comments and entries that allow findings. They cannot be allowed
// themselves.
var allowRules = []Rule{
	{
		ID: "allow-unknown", Severity: Error,
		Title:   "there is no such rule to allow",
		Reason:  "A rule that is misspelled allows nothing.",
		Instead: "`# slipway:allow RULE REASON`, with a rule of this page",
		Link:    rulesPage,
	},
	{
		ID: "allow-reason", Severity: Error,
		Title:   "a finding is allowed without a reason",
		Reason:  "Whoever reads it later cannot tell whether it still holds.",
		Instead: "`# slipway:allow RULE REASON`",
		Link:    rulesPage,
	},
	{
		ID: "allow-unused", Severity: Warning,
		Title:   "nothing is found that this allows",
		Reason:  "The finding is gone, or the comment stands elsewhere than on the line of the finding, the line above it or above the object.",
		Instead: "take it out, or move it",
		Link:    rulesPage,
	},
}
