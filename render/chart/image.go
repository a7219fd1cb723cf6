package chart

// Image is what a reference becomes.
type Image struct {
	Repository string // with its registry
	Tag        string // "" keeps that of the reference
	Digest     string // sha256:…
}

// Reference returns the image by its tag, if it has one, and digest.
func (i *Image) Reference() string {
	if i.Tag == "" {
		return i.Repository + "@" + i.Digest
	}
	return i.Repository + ":" + i.Tag + "@" + i.Digest
}
