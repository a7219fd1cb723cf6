package lint

// ageRules are about the age of what published images are based on. slipway audit looks for them.
var ageRules = []Rule{
	{
		ID: "index-base-old", Severity: Note, OS: windows,
		Title: "the image's base for Windows lacks the updates of several patch days",
		Reason: "Microsoft publishes its bases anew on the second Tuesday of each month. What an image has of its " +
			"base stays as it was: nothing updates the files in a container. Scanners list every update since as " +
			"vulnerabilities of the image.",
		Instead: "the image built again on today's base; `slipway pin bases -update` raises those of Slipway",
		Link:    "https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/update-containers",
	},
	{
		ID: "index-base-ended", Severity: Warning,
		Title:   "the image's base is a release of a distribution that gets no updates any more",
		Reason:  "No one fixes vulnerabilities in its packages, or only for customers who pay for it.",
		Instead: "a release that is supported",
		Link:    "https://endoflife.date/tags/linux-distribution",
	},
	{
		ID: "index-base-extended", Severity: Note,
		Title: "the image's base is a release of a distribution whose regular support has ended",
		Reason: "Volunteers go on with the updates that matter most, for a part of the packages and of the " +
			"architectures.",
		Instead: "a release that is supported",
		Link:    "https://wiki.debian.org/LTS",
	},
	{
		ID: "index-foreign-layer", Severity: Note,
		Title: "a layer of the image is one that mirrors leave out",
		Reason: "Its media type says that it is not to be distributed, as those of Microsoft's bases did until 2023. " +
			"Tools that copy images leave it out unless they are told otherwise, and nodes without a way to the " +
			"address in its manifest cannot pull the copy.",
		Instead: "a newer base: Microsoft's bases have ordinary layers today; or a copy with " +
			"`--allow-nondistributable-artifacts` or its like",
		Link: "https://github.com/opencontainers/image-spec/blob/main/layer.md#non-distributable-layers",
	},
}
