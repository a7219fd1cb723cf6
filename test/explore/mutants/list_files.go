package mutants

// files are faults of writing to the output directory and removing from it.
var files = []Mutant{
	{
		Name: "others-replaced", Fault: "A release replaced files of others that were in its directory.",
		File: "release/owned.go", Func: "mayWrite",
		Old: `names = present(dir, append(slices.Clone(names), checksums...))`,
		New: `names = nil`,
	},
	{
		Name: "charts-left", Fault: "Clean left the archives of charts.",
		File: "release/clean.go", Func: "removable",
		Old: `return !slices.Contains(had.names, name)`,
		New: `return !slices.Contains(had.names, name) || strings.HasSuffix(name, ".tgz")`,
	},
	{
		Name: "older-left", Fault: "Files of an older release stayed in the directory of a newer one.",
		File: "release/claim.go", Func: "Claim",
		Old: `append(had.names, names...)`,
		New: `append(had.names[:0:0], names...)`,
	},
	{
		Name:  "stage-removes-sums",
		Fault: "A stage that failed had removed SHA256SUMS of a complete release before it knew.",
		File:  "cmd/slipway/stage.go", Func: "flags.stage",
		Old: `release.CheckOut(f.out, p.Name, nil)`,
		New: `release.Claim(f.out, p.Name, nil)`,
	},
	{
		Name: "copy-removes-sums", Fault: "Rendering a copy for another registry removed SHA256SUMS.",
		File: "release/stage_render.go", Func: "Stage.writeManifest",
		Old: `if filepath.Base(path) == Manifest {`,
		New: `if filepath.Base(path) != "" {`,
	},
	{
		Name: "stage-lacks-artifacts", Fault: "Stage by stage, the files for download of the lock were nowhere.",
		File: "release/stage_publish.go", Func: "Stage.all",
		Old: `if err := WriteArtifacts(ctx, s.Store, l, s.Out); err != nil {`,
		New: `if err := error(nil); err != nil {`,
	},
	{
		Name:  "merge-looks-late",
		Fault: "Merge pushed all tags before it saw that a part's file for download was missing.",
		File:  "release/merge.go", Func: "run.merge",
		Old: `if err := c.findArtifacts(ctx, prepared.Lock); err != nil {`,
		New: `if err := error(nil); err != nil {`,
	},
	{
		Name: "registry-ignored", Fault: "A stage took the result of another for a registry that was not asked for.",
		File: "release/stage.go", Func: "Stage.same",
		Old: `case !p.Snapshot() && !slices.Equal(file.registries, want):`,
		New: `case false && !slices.Equal(file.registries, want):`,
	},
	{
		Name: "future-is-old", Fault: "Clean with an age removed what a clock that was ahead had written.",
		File: "release/clean.go", Func: "usage",
		Old: `if at := fi.ModTime(); at.After(last) {
			last = at
			if at.After(now) {
				last = now
			}
		}`,
		New: `if at := fi.ModTime(); at.After(last) && !at.After(now) {
			last = at
		}`,
	},
	{
		Name: "said-removed", Fault: "Clean with an age said that a directory was removed that it could not remove.",
		File: "release/clean.go", Func: "Leftovers.directory",
		Old: `out.Kept = output.Line(err.Error())`,
		New: `_ = output.Line`,
	},
	{
		Name: "age-overflows", Fault: "An age of half a million years was taken for some minutes.",
		File: "cmd/slipway/flagerrors.go", Func: "parseTime",
		Old: `time.Duration(max(-1, min(n, maxDays+1))) * 24 * time.Hour`,
		New: `time.Duration(n) * 24 * time.Hour`,
	},
	{
		Name: "mode-stays", Fault: "A program for download that had lost its mode kept the wrong one.",
		File: "release/artifacts.go", Func: "writeArtifact",
		Old: `return disk.Chmod(to, mode)`,
		New: `return nil`,
	},
	{
		Name: "link-replaced", Fault: "Promote replaced a link to the list of images by a file.",
		File: "publish/promote/images_yaml.go", Func: "WriteImagesYAML",
		Old: `to = file`,
		New: `_ = file`,
	},
}
