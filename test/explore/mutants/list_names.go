package mutants

// names are faults of versions, names and tags.
var names = []Mutant{
	{
		Name: "chart-prerelease-floats", Fault: "A prerelease moved the floating tags of charts.",
		File: "product/channels.go", Func: "checker.chartFloatingTags",
		Old: `case len(in.FloatingTags) == 0 || !c.floats(version):`,
		New: `case len(in.FloatingTags) == 0:`,
	},
	{
		Name:  "calendar-floats-not",
		Fault: "Floating tags of versions that are not semantic were dropped without a word.",
		File:  "product/channels.go", Func: "checker.floats",
		Old: `(kind == kindPrerelease || kind == kindCommit)`,
		New: `kind != kindRelease`,
	},
	{
		Name:  "chart-revision",
		Fault: "A tag of a chart with the commit in it was refused, though git knew the commit.",
		File:  "product/charts.go", Func: "checker.chartNames",
		Old: `t.fields.Revision = revision`,
		New: `_ = revision`,
	},
	{
		Name: "image-version-git", Fault: "The version git of an image became its tag, word for word.",
		File: "product/imagenames.go", Func: "checker.imageNames",
		Old: `if in.Version == fromGit {`,
		New: `if in.Version == fromGit && in.Name == "" {`,
	},
	{
		Name:  "artifact-takes-name",
		Fault: "A file for download replaced the archive of inputs, which had the same name.",
		File:  "product/artifactnames.go", Func: "checker.artifactFile",
		Old: `slices.Contains(taken, f.Name) || slices.Contains(`,
		New: `slices.Contains(`,
	},
	{
		Name: "outputs-are-one", Fault: "Two places of outputs that are one file gave one program or the other.",
		File: "product/outputs.go", Func: "checker.outputs",
		Old: `if other, ok := taken[at{p, stage, file}]; ok {`,
		New: `if other, ok := taken[at{p, stage, file}]; ok && other == "" {`,
	},
	{
		Name: "part-names-tags", Fault: "The summary of a part had floating tags, which only merge moves.",
		File: "release/summary.go", Func: "summarizePart",
		Old: `s.FloatingTags = nil`,
		New: ``,
	},
	{
		Name: "prefixes-share-file", Fault: "Two copies of release.yaml for two prefixes of one host had one name.",
		File: "internal/renaming/release.go", Func: "DefaultOut",
		Old: `strings.NewReplacer(":", "-", "/", "-", "[", "", "]", "").Replace(to)`,
		New: `strings.NewReplacer(":", "-", "[", "", "]", "").Replace(strings.Split(to, "/")[0])`,
	},
}
