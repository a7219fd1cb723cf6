package product

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/slipway-dev/slipway/internal/lazyregexp"
	"github.com/slipway-dev/slipway/internal/yamlfile"
)

// basePackagesYAML is a Linux base that consists of the packages of a distribution alone.
type basePackagesYAML struct {
	// The distribution, of which slipway knows where its archive is and who signs that. Without
	// one, repositories say both.
	Distribution string `yaml:"distribution,omitempty" jsonschema:"enum=debian"`
	// The suite: bookworm.
	Suite string `yaml:"suite" jsonschema:"required"`
	// The packages, as apt-get install takes them: busybox, or busybox=VERSION. Those that they
	// depend on come with them, but none that they only recommend. base-files is always among them.
	Install []string `yaml:"install" jsonschema:"required,minItems=1"`
	// The user and the group that images on the base run as, by number. The default is
	// 65532:65532, as for builtin: static.
	User string `yaml:"user,omitempty"`
	// Repositories in place of those of the distribution.
	Repositories []baseRepositoryYAML `yaml:"repositories,omitempty"`
}

// baseRepositoryYAML is a repository that the packages of a base come from.
type baseRepositoryYAML struct {
	// The address, as in sources.list: http://deb.debian.org/debian.
	URL string `yaml:"url" jsonschema:"required"`
	// The suites. The default is that of the base alone.
	Suites []string `yaml:"suites,omitempty"`
	// The components. The default is main.
	Components []string `yaml:"components,omitempty"`
	// A file with the OpenPGP keys that may sign it, with ASCII armor. The default are those of the
	// distribution.
	Key string `yaml:"key,omitempty"`
}

// BasePackages is a Linux base of packages alone.
type BasePackages struct {
	Distribution string // debian; "" if Repositories say all
	Suite        string
	Install      []string
	User         string // UID, or UID:GID
	// Repositories replace those of the distribution; none means those.
	Repositories []BaseRepository
}

// BaseRepository is a repository that packages of a base come from.
type BaseRepository struct {
	URL        string // without a / at the end
	Suites     []string
	Components []string
	KeyFile    string // the path of the file that Key was read from
	Key        string // with ASCII armor; "" for those of the distribution
}

// String is what decides which packages the base has: the command of packages.lock.yaml.
func (p BasePackages) String() string {
	words := []string{p.Distribution, p.Suite}
	for _, r := range p.Repositories {
		words = append(words, fmt.Sprintf("[%s %s %s]", r.URL, strings.Join(r.Suites, " "),
			strings.Join(r.Components, " ")))
	}
	return strings.TrimSpace(strings.Join(append(words, p.Install...), " "))
}

var (
	suiteForm = form{lazyregexp.New(`^[a-z0-9][A-Za-z0-9._/-]*$`), "write it as sources.list does: bookworm"}
	// packageForm is NAME[:ARCH][=VERSION|/SUITE], by Debian policy 5.6.1.
	packageForm = form{
		lazyregexp.New(`^[a-z0-9][a-z0-9+.-]*(:[a-z0-9]+)?(=[A-Za-z0-9.+:~-]+|/[a-z0-9-]+)?$`),
		"write the name of a package, as apt-get install takes it",
	}
	userForm      = form{lazyregexp.New(`^[0-9]{1,10}(:[0-9]{1,10})?$`), "write UID or UID:GID in digits"}
	componentForm = form{lazyregexp.New(`^[a-z0-9][A-Za-z0-9./-]*$`), "write it as sources.list does: main"}
)

// nonRoot is the user of bases that slipway makes.
const nonRoot = "65532:65532"

// basePackages reads a base that consists of packages.
func (c *checker) basePackages(in *basePackagesYAML) *BasePackages {
	p := &BasePackages{Distribution: in.Distribution, Suite: in.Suite, Install: in.Install, User: in.User}
	c.checkForm(&in.Suite, "suite", suiteForm)
	forEach(in.Install, func(s *string) { c.checkForm(s, "package", packageForm) })
	if in.User == "" {
		p.User = nonRoot
	} else {
		c.checkForm(&in.User, "user", userForm)
	}
	if in.Distribution == "" && len(in.Repositories) == 0 && !c.Bad(&in.Distribution) {
		c.Errorf(&in.Suite, "the base has no archive: write distribution: debian, or name repositories")
	}
	forEach(in.Repositories, func(r *baseRepositoryYAML) {
		out := BaseRepository{URL: c.archive(&r.URL), Suites: r.Suites, Components: r.Components}
		forEach(r.Suites, func(s *string) { c.checkForm(s, "suite", suiteForm) })
		forEach(r.Components, func(s *string) { c.checkForm(s, "component", componentForm) })
		if len(out.Suites) == 0 {
			out.Suites = []string{in.Suite}
		}
		if len(out.Components) == 0 {
			out.Components = []string{"main"}
		}
		switch {
		case r.Key != "":
			out.KeyFile, out.Key = c.keyFile(&r.Key)
		case in.Distribution == "" && !c.Bad(&r.Key):
			c.Errorf(r, "the repository has no key: name the file of the key that signs it")
		}
		p.Repositories = append(p.Repositories, out)
	})
	return p
}

// keyFile reads a file of OpenPGP keys.
func (c *checker) keyFile(s *string) (full, text string) {
	full, why := c.stat(*s, isRegular, "file")
	if why != "" {
		c.Errorf(s, "%s", why)
		return "", ""
	}
	b, err := yamlfile.ReadText(full, maxFile)
	switch {
	case err != nil:
		c.Errorf(s, "reading %s: %v", *s, cause(err))
	case !strings.Contains(string(b), "-----BEGIN PGP PUBLIC KEY BLOCK-----"):
		c.Errorf(s, "%s has no key with ASCII armor: write it with gpg --armor --export", filepath.Base(*s))
	}
	return full, string(b)
}
