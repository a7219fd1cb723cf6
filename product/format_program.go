package product

// programYAML is a program of images and artifacts: a Go main package, which slipway compiles, or
// a prebuilt one, as a file or for download. The strings of such a program are
// templates: {{.Version}} is the product's version; {{.OS}}, {{.Arch}} (amd64, armv7) and {{.Exe}}
// (.exe for Windows, and nothing else) are those of the platform.
type programYAML struct {
	// The program's file name, without .exe.
	Name string `yaml:"name" jsonschema:"required"`
	// The source of the package.
	Source string `yaml:"source,omitempty" jsonschema:"oneof_required=package"`
	// The package's directory in the source, with ./ before it: ./cmd/controller.
	Package string `yaml:"package,omitempty" jsonschema:"oneof_required=package"`
	// A prebuilt program: its path, relative to this file, on every platform:
	// bin/{{.OS}}_{{.Arch}}/wins{{.Exe}}. The program is used in images and artifacts unchanged.
	File string `yaml:"file,omitempty" jsonschema:"oneof_required=file"`
	// The same by platform (linux/amd64) or operating system (windows), where one path does not
	// serve all. The program is for these only.
	Files map[string]string `yaml:"files,omitempty" jsonschema:"oneof_required=files,minProperties=1"`
	// A program for download: its address, https://….
	URL string `yaml:"url,omitempty" jsonschema:"oneof_required=url"`
	// The SHA-256 of the download, by platform or operating system, as the project that
	// made it publishes them. The program is for these only.
	SHA256 map[string]string `yaml:"sha256,omitempty" jsonschema:"oneof_required=url,minProperties=1" yamlfile:"asked"`
	// The program's path in what file, files or url name, if that is an archive: a tar, also with
	// gzip, bzip2, xz or zstd, or a zip.
	Member string `yaml:"member,omitempty"`
	// Flags for the linker, after those of the source.
	Ldflags []string `yaml:"ldflags,omitempty"`
	// Flags for go build, after those of the source.
	Flags []string `yaml:"flags,omitempty"`
	// Environment of go build, after that of the source: NAME=value.
	Env []string `yaml:"env,omitempty"`
	// Build tags, besides those of the source and of -tags in flags.
	Tags []string `yaml:"tags,omitempty"`
	// The C compiler by platform (linux/arm64: aarch64-linux-gnu-gcc) or operating system, for
	// those on which the program is compiled with CGO.
	CC map[string]string `yaml:"cc,omitempty" jsonschema:"minProperties=1"`
	// More of these for one operating system.
	Systems []systemYAML `yaml:"systems,omitempty"`
	// The operating systems that the program is for; all if none is named.
	OS []string `yaml:"os,omitempty" jsonschema:"enum=linux,enum=windows,enum=darwin,enum=freebsd,enum=netbsd,enum=openbsd"`
}
