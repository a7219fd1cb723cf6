package product

// artifactYAML is programs as files in dist/, one set for each operating system and architecture.
type artifactYAML struct {
	// What an archive's file name starts with: NAME.linux-amd64.tar.gz.
	Name string `yaml:"name" jsonschema:"required"`
	// The programs of the artifact.
	Programs []string `yaml:"programs" jsonschema:"required,minItems=1"`
	// The release's platforms that it is for, or operating systems: linux, windows. All
	// if none is named. Further platforms of Go are possible: darwin/arm64, windows/386,
	// linux/arm/v7. With -platforms, these are made together with the first of the release.
	Platforms []string `yaml:"platforms,omitempty"`
	// binary is each program as a file of its own, PROGRAM.linux-amd64 or
	// PROGRAM.windows-amd64.exe; archive is all of them in one. An archive if none is named.
	Forms []string `yaml:"forms,omitempty" jsonschema:"enum=archive,enum=binary,default=archive"`
	// The format of the archive for each operating system, tar.gz or zip: tar.gz for linux and
	// zip for windows where none is named.
	Formats map[string]string `yaml:"formats,omitempty"`
	// The file name of the archive without .tar.gz or .zip: a template, in which {{.Name}} is that
	// of the artifact (of the program, for binaryName), {{.Product}} and {{.Version}} are the
	// product's, and {{.OS}} and {{.Arch}} (amd64, armv7) the platform's.
	ArchiveName string `yaml:"archiveName,omitempty" jsonschema:"default={{.Name}}.{{.OS}}-{{.Arch}}"`
	// The file name of a program alone, without .exe: such a template, too.
	BinaryName string `yaml:"binaryName,omitempty" jsonschema:"default={{.Name}}.{{.OS}}-{{.Arch}}"`
	// The directory of the programs in the archive; its root if none is named.
	Directory string `yaml:"directory,omitempty"`
	// A directory for each operating system, relative to this file or to source, whose files are
	// added to the archive.
	Files map[string]string `yaml:"files,omitempty"`
	// The source that files are in.
	Source string `yaml:"source,omitempty"`
}
