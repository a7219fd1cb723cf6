package product

// imageKinds are the kinds of image. A new one is an entry here and in the table of package
// build, a field of imageYAML, and a file with the type of that field, the type that build gets,
// and check.
var imageKinds = []imageKind{
	{
		name: "go", given: func(in *imageYAML) bool { return in.Go != nil },
		check: (*checker).goImage,
	},
	{
		name: "dockerfile", given: func(in *imageYAML) bool { return in.Dockerfile != nil },
		withoutBases: "name the base by FROM in the Dockerfile", check: (*checker).dockerfileImage,
	},
	{
		name: "lifecycle", given: func(in *imageYAML) bool { return in.Lifecycle != nil },
		withoutBases: "take them out", check: (*checker).lifecycleImage,
	},
	{ // the last, since go and dockerfile may have prebuilt platforms
		name: "prebuilt", given: func(in *imageYAML) bool { return in.Prebuilt != nil },
		withoutBases: "take them out", check: (*checker).onlyPrebuilt,
	},
}

// imageKind is one way to describe an image in slipway.yaml.
type imageKind struct {
	name         string // of the field, and of the kind in the lock
	given        func(*imageYAML) bool
	withoutBases string // the remedy if an image of the kind has the field bases; "" if it may
	// check reports mistakes of the field and returns what it describes. The image has
	// everything that does not depend on the kind; check may change that.
	check func(*checker, *imageYAML, *Image) Content
}

// Content is what an image is made from.
type Content interface {
	// uses adds the names of slipway.yaml that the content refers to.
	uses(*uses)
}
