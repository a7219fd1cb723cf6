package mutants

// products are faults of what products are made of.
var products = []Mutant{
	{
		Name: "static-for-windows", Fault: "A base of Linux files became an image for Windows.",
		File: "image/base/base.go", Func: "Resolver.resolve",
		Old: `&& p.OS != platform.Linux {`,
		New: `&& p.OS == "" {`,
	},
	{
		Name: "bundle-empty-late", Fault: "That a bundle would be empty was found after everything had been pushed.",
		File: "release/judge_images.go", Func: "judgeThirdParty",
		Old: `errs = append(errs, airgap.CheckTargets(l, Targets(p.Airgap)))`,
		New: `_ = airgap.CheckTargets`,
	},
	{
		Name:  "tracked-hidden",
		Fault: "Changes of files that git has did not count if they were below the output directory.",
		File:  "internal/git/changes.go", Func: "view.status",
		Old: `		"--", ".",
	}
`,
		New: `	}
	args = append(args, pathspec(made)...)
`,
	},
	{
		Name:  "assumed-unchanged",
		Fault: "A changed file that git was told to take for unchanged was released as the commit.",
		File:  "internal/git/changes.go", Func: "view.reveal",
		Old: `if !e.hidden {`,
		New: `if e.name != "" {`,
	},
	{
		Name:  "replaced-unseen",
		Fault: "Changes in a directory next to the source, which its go.mod names, did not count.",
		File:  "product/changes.go", Func: "Source.Changes",
		Old: `if len(beyond) == 0 {`,
		New: `if len(beyond) >= 0 {`,
	},
	{
		Name:  "files-through-link",
		Fault: "Check was content with files of an artifact behind a link, and release was not.",
		File:  "assemble/artifact/artifact.go", Func: "tree",
		Old: `dir, err := filepath.EvalSymlinks(dir)`,
		New: `dir, err := filepath.Abs(dir)`,
	},
	{
		Name: "names-unlike-windows", Fault: "A zip for Windows had names that Windows cannot have.",
		File: "assemble/artifact/artifact.go", Func: "Input.entries",
		Old: `return all, layer.Check(all, in.Platform.OS)`,
		New: `_ = layer.Check; return all, nil`,
	},
	{
		Name: "ignored-compiled", Fault: "A go build in a stage compiled files that .dockerignore leaves out.",
		File: "containerfile/run/gopackages.go", Func: "runner.complete",
		Old: `c.directory(dir)`,
		New: `_ = c.directory`,
	},
}
