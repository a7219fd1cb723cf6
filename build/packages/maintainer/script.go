// Package maintainer carries out the maintainer scripts of Debian packages (Debian Policy,
// chapter 6) on the files of a tree, without a process: mvdan.cc/sh evaluates the script, and each
// command that it calls is one that this package knows, or an error with package, script and line.
package maintainer

// Script is a call of a maintainer script.
type Script struct {
	Package string // name, without architecture
	Version string
	Arch    string   // of the package: amd64, all
	Name    string   // preinst, postinst, prerm, postrm, config
	Args    []string // configure, "", 1.2-3: what dpkg would give it
	Text    []byte
	// Templates is the text of the package's debconf templates; empty if it has none.
	Templates []byte
	// Path is where the script lies while it runs: /var/lib/dpkg/info/curl.postinst; of a preinst of
	// a package that is unpacked /var/lib/dpkg/tmp.ci/preinst, which the tree does not have.
	Path string
	// Instances is how many architectures of the package are installed
	// (DPKG_MAINTSCRIPT_PACKAGE_REFCOUNT).
	Instances int
}
