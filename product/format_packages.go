package product

// packagesYAML is how the packages of distributions are installed that Dockerfiles name.
type packagesYAML struct {
	// Where else the files of a repository are, which drops old versions. Each file has its hash in
	// packages.lock.yaml, so that a mirror need not be trusted.
	Mirrors []mirrorYAML `yaml:"mirrors,omitempty"`
	// Repositories whose index nothing signs. slipway pin takes what they have on trust.
	Unsigned []unsignedYAML `yaml:"unsigned,omitempty"`
	// Maintainer scripts that are not carried out, since they cannot be or need not be.
	SkipScripts []skipScriptsYAML `yaml:"skipScripts,omitempty"`
	// Whether the archive of inputs has the packages: then the release can be made again without
	// their repositories.
	Inputs bool `yaml:"inputs,omitempty"`
}

// mirrorYAML is a second place of a repository's files.
type mirrorYAML struct {
	// The address of the repository, as in sources.list: http://deb.debian.org/debian.
	For string `yaml:"for" jsonschema:"required"`
	// The address of the mirror.
	URL string `yaml:"url" jsonschema:"required"`
}

// unsignedYAML is a repository that nothing signs.
type unsignedYAML struct {
	// The address of the repository, as in sources.list.
	URL string `yaml:"url" jsonschema:"required"`
	// Why that is right.
	Reason string `yaml:"reason" jsonschema:"required"`
}

// skipScriptsYAML names a package whose maintainer scripts are not carried out.
type skipScriptsYAML struct {
	// The name of the package.
	Package string `yaml:"package" jsonschema:"required"`
	// Only these scripts: preinst, postinst, prerm, postrm, config. The default is all.
	Scripts []string `yaml:"scripts,omitempty"`
	// Why the image is right without them. The page and the SBOM show it.
	Reason string `yaml:"reason" jsonschema:"required"`
}
