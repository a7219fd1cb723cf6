package product

import (
	"net/url"
	"slices"
	"strings"

	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// Packages is how the packages of distributions are installed.
type Packages struct {
	Mirrors     []Mirror
	Unsigned    []string // the addresses of repositories that nothing signs, without a / at the end
	SkipScripts []SkipScripts
	Inputs      bool // the archive of inputs has them
}

// Mirror is a second place of the files of a repository. The addresses end without a /.
type Mirror struct{ For, URL string }

// SkipScripts names a package whose maintainer scripts are not carried out.
type SkipScripts struct {
	Package string
	Scripts []string // preinst, postinst, …; none means all
	Reason  string
	Pos     yamlfile.Pos
}

// maintainerScripts are the scripts that a package can have.
var maintainerScripts = []string{"preinst", "postinst", "prerm", "postrm", "config"}

func (c *checker) packages() {
	in, out := &c.in.Packages, &c.out.Packages
	out.Inputs = in.Inputs
	forEach(in.Mirrors, func(m *mirrorYAML) {
		out.Mirrors = append(out.Mirrors, Mirror{c.archive(&m.For), c.archive(&m.URL)})
	})
	forEach(in.Unsigned, func(u *unsignedYAML) { out.Unsigned = append(out.Unsigned, c.archive(&u.URL)) })
	forEach(in.SkipScripts, func(s *skipScriptsYAML) {
		forEach(s.Scripts, func(name *string) {
			if !slices.Contains(maintainerScripts, *name) {
				c.Errorf(name, "%q is no maintainer script: those are %s", *name, strings.Join(maintainerScripts, ", "))
			}
		})
		out.SkipScripts = append(out.SkipScripts, SkipScripts{s.Package, s.Scripts, s.Reason, c.Pos(&s.Package)})
	})
}

// archive reads the address of a repository.
func (c *checker) archive(s *string) string {
	if *s == "" {
		return ""
	}
	u, err := url.Parse(*s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" {
		c.Errorf(s, "%q is not an address such as http://deb.debian.org/debian", *s)
	} else if u.User != nil {
		c.Errorf(s, "the address has a password in it: leave it out")
	}
	return strings.TrimSuffix(*s, "/")
}
