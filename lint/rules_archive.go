package lint

// Documentation that rules of archives refer to.
const (
	linkLayout = "https://github.com/opencontainers/image-spec/blob/main/image-layout.md"
	linkSave   = "https://docs.docker.com/reference/cli/docker/image/save/"
)

// archiveRules are about images in archives and directories.
var archiveRules = []Rule{
	{
		ID: "archive-name", Severity: Error,
		Title: "the archive's name says another platform than its images have",
		Reason: "Administrators choose the archive by its name, and nothing compares the name with the content: the " +
			"node imports images that it does not run, or images for another platform.",
		Instead: "the images of the platform in the archive, or another name",
		Link:    linkSave,
		Seen: "RKE2's script for the archive of Windows Server 2025, which has filled it with the image of 2022 " +
			"([package-windows-images](https://github.com/rancher/rke2/blob/master/scripts/package-windows-images))",
	},
	{
		ID: "archive-missing", Severity: Error,
		Title: "the archive lacks a layer of its image",
		Reason: "Importing it fails, or the image is there and its containers do not start: " +
			"`content digest … not found`.",
		Instead: "an archive that was written completely",
		Link:    linkLayout,
	},
	{
		ID: "archive-damaged", Severity: Error,
		Title: "a layer in the archive is damaged",
		Reason: "Its bytes have another digest than its name or the image's configuration says. Importing the " +
			"archive fails, on some nodes only when a container starts.",
		Instead: "the archive anew, compared with a checksum",
		Link:    linkLayout,
	},
	{
		ID: "archive-subset", Severity: Note,
		Title: "the archive has not every image of an index",
		Reason: "docker save and ctr export write the index whole and the images of one platform. A node of " +
			"another platform imports the archive, and then looks for its image in a registry.",
		Instead: "an archive of all platforms where nodes of several import it",
		Link:    linkLayout,
	},
	{
		ID: "archive-differs", Severity: Error,
		Title: "index.json and manifest.json describe an image in two ways",
		Reason: "containerd imports what index.json lists, older Docker what manifest.json lists: one name is " +
			"two images.",
		Instead: "an archive whose two lists are written together, by one tool",
		Link:    linkLayout,
	},
	{
		ID: "archive-ambiguous", Severity: Error,
		Title: "the archive has a file or a name that two readers take for two",
		Reason: "A file is there twice, or as a link, or leads out of the archive; another archive follows the end " +
			"of the first; or index.json or manifest.json gives two images one name. Which of them a node imports " +
			"depends on its runtime: the image that runs may not be the checked one.",
		Instead: "an archive in which each name is there once",
		Link:    linkLayout,
	},
	{
		ID: "archive-index-lacks", Severity: Warning,
		Title: "manifest.json alone names an image",
		Reason: "containerd, and with it K3s and RKE2, imports what index.json lists: the image is then not on " +
			"the node.",
		Instead: "the image in both lists",
		Link:    linkLayout,
	},
	{
		ID: "archive-docker-lacks", Severity: Note,
		Title: "index.json alone names an image",
		Reason: "docker load reads manifest.json if there is one, and leaves the image out. containerd imports " +
			"it.",
		Instead: "the image in both lists, if docker load is to read the archive",
		Link:    linkSave,
	},
	{
		ID: "archive-snapshot", Severity: Warning,
		Title: "the archive is of a snapshot",
		Reason: "No registry got these images, some of which may be stubs: under their tags the release is refused " +
			"later, or has other digests.",
		Instead: "the bundle of a release, which -registry makes",
		Link:    "https://github.com/slipway-dev/slipway/blob/main/docs/glossary.md",
	},
	{
		ID: "archive-unused", Severity: Note,
		Title: "no image of the archive lists a blob of it",
		Reason: "The blob takes up space without a use. A tool has removed an image without its layers, or the blob " +
			"is a part of the older form of docker save.",
		Instead: "an archive of what its images list",
		Link:    linkLayout,
	},
}
