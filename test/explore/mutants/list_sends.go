package mutants

// sends are faults of what registries get.
var sends = []Mutant{
	{
		Name: "mirror-not-renamed", Fault: "Promote from a mirror renamed nothing in release.yaml.",
		File: "publish/promote/rename.go", Func: "promotion.names",
		Old: `append([]string{i.repo}, i.released...)`,
		New: `[]string{i.repo}`,
	},
	{
		Name:  "conflict-found-late",
		Fault: "With several destinations, one had all of a release that another could not take.",
		File:  "registry/transfer/push.go", Func: "Client.PushAll",
		Old: `if p.err == nil {`,
		New: `if p.err == nil && ErrHeld == nil {`,
	},
	{
		Name: "tag-kept", Fault: "A floating tag that was to move stayed.",
		File: "publish/floating.go", Func: "Move",
		Old: `if t.Kept != "" {`,
		New: `if t.Kept != "" || t.From != (v1.Hash{}) {`,
	},
	{
		Name: "referrers-lost", Fault: "The evidence of an image went with another of its names only.",
		File: "lock/names.go", Func: "Image.Names",
		Old: `all[0].Referrers = i.referrers(subjects...)`,
		New: `all[0].Referrers = i.referrers()`,
	},
	{
		Name: "names-apart", Fault: "The names of one image were put into different volumes.",
		File: "airgap/bundle/split.go", Func: "Contents.units",
		Old: `if !own[h] {`,
		New: `if !own[h] || h.Hex != "" {`,
	},
}
