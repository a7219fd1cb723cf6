package mutants

// evidences are faults of what describes a release, and of what verifies it.
var evidences = []Mutant{
	{
		Name: "sums-of-others", Fault: "The flag -sums was ignored for a directory.",
		File: "cmd/slipway/verify.go", Func: "verifying.check",
		Old: `case len(dirs) > 0 && v.sums+v.lock != "":`,
		New: `case len(dirs) < 0 && v.sums+v.lock != "":`,
	},
	{
		Name: "sbom-version", Fault: "An image with a version of its own had the product's in bills of materials.",
		File: "evidence/sbom/image.go", Func: "graph.child",
		Old: `cmp.Or(has.Version, g.lock.Version)`,
		New: `cmp.Or(g.lock.Version, has.Version)`,
	},
	{
		Name: "page-needs-bundles", Fault: "A page could not be made where a bundle was missing.",
		File: "report/read.go", Func: "Release.readBundles",
		Old: `if errors.Is(err, fs.ErrNotExist) {
			r.Unknown = append(r.Unknown, "What "+name+" contains: it is not there.")
			continue
		}`,
		New: ``,
	},
}
