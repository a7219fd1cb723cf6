package product

import (
	"io/fs"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"slices"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
	"github.com/slipway-dev/slipway/platform"
)

// Prebuilt is an existing program for one platform, which no release compiles: File, or the file
// for download at URL, or Member of the archive that either is.
type Prebuilt struct {
	Platform platform.Platform // without a Windows release
	Origin   string            // File as slipway.yaml has it, or URL
	File     string            // absolute
	URL      string
	SHA256   string // of the file at URL, in hexadecimal
	Member   string // slash-separated
	Pos      yamlfile.Pos
}

// prebuiltFields is what templates of prebuilt programs may use.
type prebuiltFields struct{ Version, OS, Arch, Exe string }

var prebuiltNames = []string{"Version", "OS", "Arch", "Exe"}

// place is a text of slipway.yaml and its address.
type place struct {
	address any
	text    string
}

// prebuilt checks a prebuilt program and returns it for each platform of the release and of its
// artifacts.
func (c *checker) prebuilt(in *programYAML) (all []Prebuilt) {
	c.onlyPackage(in)
	keys := map[string]string(nil) // by platform; nil if one text serves all
	switch {
	case in.Files != nil:
		keys = in.Files
		c.platformKeys(&in.Files, keys)
	case in.URL != "":
		keys = in.SHA256
		if !c.Given(&in.SHA256) {
			c.Errorf(&in.URL, "sha256 is missing: add that of the file for each platform, "+
				"as the project that made it publishes them next to its downloads")
		}
		c.platformKeys(&in.SHA256, keys)
	}
	for _, on := range c.ports() {
		key, ok := byPlatform(keys, on)
		if keys != nil && !ok || len(in.OS) > 0 && !slices.Contains(in.OS, on.OS) {
			continue
		}
		p := Prebuilt{Platform: on, Pos: c.Pos(in)}
		switch {
		case in.URL != "":
			p.URL = c.download(place{&in.URL, in.URL}, on)
			p.SHA256 = c.sha256(place{yamlfile.Entry(&in.SHA256, key), in.SHA256[key]})
			p.Origin = p.URL
		case in.Files != nil:
			p.Origin, p.File = c.file(place{yamlfile.Entry(&in.Files, key), in.Files[key]}, on)
		default:
			p.Origin, p.File = c.file(place{&in.File, in.File}, on)
		}
		p.Member = c.member(place{&in.Member, in.Member}, on)
		all = append(all, p)
	}
	return all
}

// onlyPackage reports fields that are for Go main packages, and a list of systems besides that of
// files or sha256.
func (c *checker) onlyPackage(in *programYAML) {
	for _, f := range []struct {
		name    string
		address any
	}{
		{"ldflags", &in.Ldflags},
		{"flags", &in.Flags},
		{"env", &in.Env},
		{"tags", &in.Tags},
		{"cc", &in.CC},
		{"systems", &in.Systems},
	} {
		if c.Given(f.address) {
			c.Errorf(f.address, "%s is for a Go main package, and this program is prebuilt: take it out", f.name)
		}
	}
	if c.Given(&in.SHA256) && in.URL == "" {
		c.Errorf(&in.SHA256, "sha256 is for downloads: take it out, since the lock tells the digest of a file")
	}
	if c.Given(&in.OS) && in.File == "" {
		c.Errorf(&in.OS, "the platforms under files or sha256 are those of the program: take os out")
	}
}

// expandOn evaluates a template for a platform.
func (c *checker) expandOn(s place, on platform.Platform) string {
	f := prebuiltFields{Version: c.out.Version, OS: on.OS, Arch: on.Architecture + on.Variant}
	if on.OS == platform.Windows {
		f.Exe = ".exe"
	}
	text, err := expand(s.text, f, prebuiltNames, nil)
	if err != nil {
		c.Errorf(s.address, "%s", err.Error())
	}
	return text
}

// file returns the path of a program relative to slipway.yaml, and absolute. Whether it is there
// is found by build: other commands do not need it.
func (c *checker) file(s place, on platform.Platform) (origin, full string) {
	if s.text == "" {
		c.Errorf(s.address, "the path of the program is empty: write it")
	}
	origin = filepath.ToSlash(filepath.Clean(c.expandOn(s, on)))
	full = filepath.FromSlash(origin)
	if !filepath.IsAbs(full) {
		full = filepath.Join(c.out.Dir, full)
	}
	if why := escapes(c.root(), full, origin); why != "" {
		c.Errorf(s.address, "%s", why)
	}
	return origin, full
}

func (c *checker) download(s place, on platform.Platform) string {
	text := c.expandOn(s, on)
	u, err := url.Parse(text)
	switch {
	case text == "":
	case err != nil || u.Host == "" || u.Scheme != "https":
		c.Errorf(s.address, "%q is not the address of a download: write https://…", text)
	case u.User != nil:
		c.Errorf(s.address, "the address has a user: take it out, since everybody reads slipway.yaml")
	}
	return text
}

var sha256Form = lazyregexp.New(`^[0-9a-f]{64}$`)

func (c *checker) sha256(s place) string {
	if s.text != "" && !sha256Form.MatchString(s.text) {
		c.Errorf(s.address, "%q is not a SHA-256: write its 64 hexadecimal digits, as the project publishes them",
			s.text)
	}
	return s.text
}

func (c *checker) member(s place, on platform.Platform) string {
	text := path.Clean(c.expandOn(s, on))
	if s.text == "" {
		return ""
	}
	if !fs.ValidPath(text) || text == "." {
		c.Errorf(s.address,
			"%q is not a path in an archive: write it without / at its start, as tar -t and unzip -l list it", text)
	}
	return text
}

// byPlatform returns the key of a map for a platform: the platform, or its operating system.
func byPlatform(m map[string]string, on platform.Platform) (key string, ok bool) {
	for _, key := range []string{on.String(), on.OS} {
		if _, ok := m[key]; ok {
			return key, true
		}
	}
	return "", false
}

// platformKeys reports keys that are for no platform of the release and its artifacts. of is the
// address of the map.
func (c *checker) platformKeys(of any, m map[string]string) {
	all := c.ports()
	for _, key := range slices.Sorted(maps.Keys(m)) {
		known := slices.ContainsFunc(all, func(on platform.Platform) bool { return key == on.OS || key == on.String() })
		if !known && !c.partly() {
			c.KeyErrorf(of, key, "neither the release nor its artifacts have the platform %s: "+
				"write one of %s, or an operating system", key, formatAll(all))
		}
	}
}

// ports are the platforms that programs are for: those of the release, without Windows releases,
// then others of artifacts. Their mistakes are reported with the artifacts.
func (c *checker) ports() []platform.Platform {
	all := platform.Systems(c.out.Platforms)
	for _, a := range c.in.Artifacts {
		for _, s := range a.Platforms {
			if p, err := platform.ParsePort(s); err == nil && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all
}

// IsPrebuilt reports whether the program is prebuilt.
func (p Program) IsPrebuilt() bool { return len(p.Prebuilt) > 0 }

// systems are the operating systems or platforms that the program is for, as slipway.yaml has
// them.
func (p Program) systems() []string {
	if !p.IsPrebuilt() || len(p.OS) > 0 {
		return p.OS
	}
	var all []string
	for _, f := range p.Prebuilt {
		all = append(all, f.Platform.String())
	}
	return all
}

// Compiler returns the C compiler of the program for a platform, and whether it has one.
func (p Program) Compiler(on platform.Platform) (string, bool) {
	key, ok := byPlatform(p.CC, on.System())
	return p.CC[key], ok
}

// On returns a prebuilt program for a platform.
func (p Program) On(on platform.Platform) (Prebuilt, bool) {
	on = on.System()
	f := find(p.Prebuilt, func(f Prebuilt) bool { return f.Platform == on })
	return f, f.Platform == on
}
