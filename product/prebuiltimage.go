package product

import (
	"maps"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"

	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// PrebuiltImage is an image for one platform that another builder made, which a release takes as
// it is: of a registry, or in a file.
type PrebuiltImage struct {
	Platform  platform.Platform
	File      *ImageFile     // nil for an image of a registry
	Reference name.Reference // of a registry, perhaps without a digest; nil for an image in a file
	Pos       yamlfile.Pos   // of its text
	Text      string         // as slipway.yaml has it, with its templates evaluated
}

// OnlyPrebuilt is the content of an image whose platforms are all prebuilt.
type OnlyPrebuilt struct{}

func (*OnlyPrebuilt) uses(*uses) {}

// allPlatforms is the key of prebuilt for every platform.
const allPlatforms = "all"

// prebuiltImageFields is what templates of prebuilt images may use.
type prebuiltImageFields struct{ Version, OS, Arch, Variant, WindowsRelease string }

var prebuiltImageNames = []string{"Version", "OS", "Arch", "Variant", "WindowsRelease"}

// PrebuiltOn returns the prebuilt image for a platform, and false if the image is built for it.
func (i Image) PrebuiltOn(p platform.Platform) (PrebuiltImage, bool) {
	n := slices.IndexFunc(i.Prebuilt, func(b PrebuiltImage) bool { return platform.Same(b.Platform, p) })
	if n < 0 {
		return PrebuiltImage{}, false
	}
	return i.Prebuilt[n], true
}

// Built returns the platforms of the image that are not prebuilt.
func (i Image) Built() []platform.Platform {
	return slices.DeleteFunc(slices.Clone(i.Platforms), func(p platform.Platform) bool {
		_, ok := i.PrebuiltOn(p)
		return ok
	})
}

// prebuiltImages reads the prebuilt platforms of an image.
func (c *checker) prebuiltImages(in *imageYAML, i *Image) {
	if in.Prebuilt == nil {
		return
	}
	used := map[string]bool{}
	for _, p := range i.Platforms {
		key, ok := imageKey(in.Prebuilt, p)
		if !ok {
			continue
		}
		used[key] = true
		if q, err := platform.Parse(key); err == nil && p.Takes(q) {
			p = q // which may have a revision
		}
		if b, ok := c.prebuiltImage(yamlfile.Entry(&in.Prebuilt, key), in.Prebuilt[key], p); ok {
			i.Prebuilt = append(i.Prebuilt, b)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(in.Prebuilt)) {
		if !used[key] && !c.partly() && !c.Bad(yamlfile.Entry(&in.Prebuilt, key)) {
			c.KeyErrorf(&in.Prebuilt, key, "%s is for none of the image's platforms, or for those that other keys "+
				"name: write one of %s, linux, windows or all", key, formatAll(i.Platforms))
		}
	}
}

// imageKey returns the key of prebuilt for a platform: the platform itself, its operating system,
// or all.
func imageKey(m map[string]string, p platform.Platform) (string, bool) {
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if q, err := platform.Parse(key); err == nil && (p.Takes(q) || q.Takes(p)) {
			return key, true
		}
	}
	for _, key := range []string{p.OS, allPlatforms} {
		if _, ok := m[key]; ok {
			return key, true
		}
	}
	return "", false
}

// prebuiltImage reads one of them. at is the address of its text.
func (c *checker) prebuiltImage(at any, text string, p platform.Platform) (PrebuiltImage, bool) {
	b := PrebuiltImage{Platform: p, Text: text, Pos: c.Pos(at)}
	if c.Bad(at) {
		return b, false
	}
	if IsImageFile(text) {
		f, err := c.imageFile(text, p)
		if err != nil {
			c.Errorf(at, "%v", err)
			return b, false
		}
		b.File, b.Text = f, f.Text
		return b, true
	}
	ref, _, err := parseReference(text)
	if err != nil {
		c.Errorf(at, "%v; of an image in a file %s", err, imageFileForms)
		return b, false
	}
	b.Reference = ref
	return b, true
}

// imageFile reads an image in a file.
func (c *checker) imageFile(text string, p platform.Platform) (*ImageFile, error) {
	f := prebuiltImageFields{Version: c.out.Version, OS: p.OS, Arch: p.Architecture, Variant: p.Variant}
	if p.OS == platform.Windows {
		f.WindowsRelease = platform.Release(p.OSVersion)
	}
	text, err := expand(text, f, prebuiltImageNames, nil)
	if err != nil {
		return nil, err
	}
	file, err := parseImageFile(text, c.out.Dir)
	if err != nil {
		return nil, err
	}
	if why := escapes(c.root(), file.Path, text); why != "" {
		return nil, errorText(why)
	}
	if !slices.Contains(c.imagePaths, file.Path) {
		c.imagePaths = append(c.imagePaths, file.Path)
	}
	return &file, nil
}

// onlyPrebuilt checks an image that has nothing but prebuilt platforms.
func (c *checker) onlyPrebuilt(in *imageYAML, i *Image) Content {
	for _, p := range i.Built() {
		if _, ok := imageKey(in.Prebuilt, p); !ok && !c.Bad(&in.Prebuilt) {
			c.Errorf(&in.Prebuilt, "image %s has no prebuilt image for %s: add one, restrict the image with "+
				"platforms, or make it from go or dockerfile", in.Name, p)
		}
	}
	for _, f := range []struct {
		name    string
		address any
	}{
		{"labels", &in.Labels},
		{"compression", &in.Compression},
		{"allowOtherPlatforms", &in.AllowOtherPlatforms},
		{"allowLibraries", &in.AllowLibraries},
	} {
		if c.Given(f.address) {
			c.Errorf(f.address, "%s changes nothing of an image that is taken as it is: take it out, or allow a "+
				"finding under lint.allow", f.name)
		}
	}
	return &OnlyPrebuilt{}
}
