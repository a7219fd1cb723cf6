// Package maintainer carries out the maintainer scripts of Debian packages (Debian Policy,
// chapter 6) on the files of a tree, without a process: mvdan.cc/sh parses the script, package
// shell evaluates it, and each command that it calls is one that this package knows, or an error
// with package, script and line.
//
// A command that the tree has as a shell script of its own, such as dpkg-maintscript-helper or
// ucf, is evaluated like the script that calls it. What a script invents, such as the identity of
// a machine, is left out; [Runner.Notes] says so.
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
	// Path is where the script lies while it runs: /var/lib/dpkg/info/curl.postinst; of a preinst
	// of a package that is unpacked /var/lib/dpkg/tmp.ci/preinst, which the tree does not have.
	Path string
	// Instances is how many architectures of the package are installed
	// (DPKG_MAINTSCRIPT_PACKAGE_REFCOUNT).
	Instances int
	// Config is the package's config script, which debconf runs before a preinst or postinst that
	// talks to it; empty if it has none. That of an installed package is found in the tree, too.
	Config []byte
}
