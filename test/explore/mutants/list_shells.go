package mutants

// shells are faults of RUN lines, which made something else than a shell does.
var shells = []Mutant{
	{
		Name: "assignments-apart", Fault: "A variable did not see another one set before it on the line.",
		File: "containerfile/script/variable.go", Func: "shell.assigned",
		Old: `s.assign(a.Name.Value, value)`,
		New: `_ = s.assign`,
	},
	{
		Name: "quotes-in-quotes", Fault: "Quotes within ${x:-…} in quotes were taken away.",
		File: "containerfile/script/variable.go", Func: "shell.expansion",
		Old: `quoted && !plain && strings.ContainsAny`,
		New: `quoted && !plain && quoted == plain && strings.ContainsAny`,
	},
	{
		Name: "cd-physical", Fault: "cd .. went to the directory above the target of a link.",
		File: "containerfile/run/builtin.go", Func: "cd",
		Old: `logical = path.Join(r.logical, name)`,
		New: `logical = path.Join(r.dir, name)`,
	},
	{
		Name: "export-cut", Fault: "export X=$Y cut the value at its first blank.",
		File: "containerfile/script/shell.go", Func: "shell.simple",
		Old: `c.Args[0].Text == "export" && (len(words) != 1`,
		New: `c.Args[0].Text == "" && (len(words) != 1`,
	},
	{
		Name: "ifs-ignored", Fault: "IFS was set, and words were divided as before.",
		File: "containerfile/script/variable.go", Func: "shell.assign",
		Old: `if slices.Contains(Deciding, name) {`,
		New: `if slices.Contains(Deciding, name) && value == "\x00" {`,
	},
	{
		Name: "first-redirection", Fault: "Of two redirections the first had the output.",
		File: "containerfile/script/redirect.go", Func: "shell.nowhere",
		Old: `if c.Output != nil {`,
		New: `if c.Output != nil && source == "" {`,
	},
	{
		Name:  "dots-unmatched",
		Fault: "A pattern that begins with a dot did not match the directories . and .., as in shells.",
		File:  "containerfile/run/glob.go", Func: "dots",
		Old: `ok && tree.Wild(part) && part[0] == '.'`,
		New: `ok && tree.Wild(part) && part == ""`,
	},
	{
		Name: "sticky-stays", Fault: "chmod a=rwx left the sticky bit.",
		File: "containerfile/modechange/modechange.go", Func: "Change.Adjust",
		Old: `mode = mode&keep | value`,
		New: `mode = mode&(keep|0o1000) | value`,
	},
	{
		Name:  "directory-comes-back",
		Fault: "A file of an archive that took the place of a directory was a directory again.",
		File:  "containerfile/run/unpack.go", Func: "unpacking.finish",
		Old: `there == nil || there.Kind != layer.Dir {`,
		New: `there == nil {`,
	},
	{
		Name: "copied-over", Fault: "cp replaced a file that it had just made, which is an error.",
		File: "containerfile/run/copy.go", Func: "copyTree.replaces",
		Old: `case c.made[dest] && n.Kind != layer.Dir:`,
		New: `case c.made[dest] && from == "":`,
	},
	{
		Name: "link-with-slash", Fault: "rm -r of a link with a slash removed what it leads to.",
		File: "containerfile/run/lookup.go", Func: "runner.itself",
		Old: `s.is(layer.Symlink) {`,
		New: `s.is(layer.Symlink) && name == "" {`,
	},
}
