package run

import (
	"path"
	"slices"
	"strings"
)

// shell is what reads a command's line.
type shell int

const (
	sh shell = iota // that of Linux
	cmd
)

// command is one that RUN may have.
type command struct {
	in    shell
	names string // the first is its own
	// letters are its options as for getopt: those before a colon have a value. Of cmd
	// they are words: /Y.
	letters string
	// long has the long options, with the letter of each: mode=m. One without a letter and with a
	// value ends in a colon.
	long string
	// least and most are how many operands it has; 0 is any.
	least, most int
	prints      bool                                 // its output may go into a file
	reads       bool                                 // it may stand behind a pipe
	plain       bool                                 // all words are operands: it has no options
	dashless    bool                                 // the first word may be options without -, as in tar xf
	slashes     bool                                 // its options begin with a slash, as in cmd
	check       func(o options, args []string) error // of the words alone; nil for none
	run         func(r *runner, o options, args []string)
	// print returns the output, nil where that is unknown. input returns the text from the pipe.
	print func(r *runner, o options, args []string, input func() string) string
}

// commands are all that are known. Those without run may only print for another one.
func commands() []command {
	return slices.Concat(fileCommands(), textCommands(), systemCommands(), windowsCommands(),
		programs(sh), programs(cmd))
}

// fileCommands are those of Linux that change files.
func fileCommands() []command {
	return []command{
		{names: "mkdir", letters: "pvm:", long: "parents=p mode=m verbose=v", least: 1, check: checkMode, run: mkdir},
		{names: "touch", letters: "amc", long: "no-create=c", least: 1, run: touch},
		{
			names: "ln", letters: "sfnvT", long: "symbolic=s force=f no-dereference=n verbose=v no-target-directory=T",
			least: 1, check: checkLink, run: link,
		},
		{
			names: "cp", letters: "rRapfvdPLTt:", least: 1, run: cp,
			long: "recursive=r archive=a force=f verbose=v no-dereference=P dereference=L no-target-directory=T " +
				"target-directory=t",
		},
		{
			names: "mv", letters: "fvTt:", long: "force=f verbose=v no-target-directory=T target-directory=t",
			least: 1, run: mv,
		},
		{
			names: "install", letters: "cDdvTm:o:g:t:", least: 1, check: checkInstall, run: install,
			long: "directory=d mode=m owner=o group=g target-directory=t no-target-directory=T verbose=v",
		},
		{names: "rm", letters: "rRfv", long: "recursive=r force=f verbose=v", run: rm},
		{names: "rmdir", letters: "v", least: 1, run: rmdir},
		{names: "chmod", letters: "Rvcf", long: changing, least: 2, check: checkChmod, run: chmod},
		{names: "chown", letters: "Rhvcf", long: changing + " no-dereference=h", least: 2, run: chown},
		{names: "chgrp", letters: "Rhvcf", long: changing + " no-dereference=h", least: 2, run: chgrp},
		{
			// options about retries and messages change nothing
			names: "curl", letters: "fsSLOo:kRv#4m:", least: 1, most: 1, prints: true, check: checkCurl, run: curl,
			long: "output=o remote-name=O location=L fail=f silent=s show-error=S insecure=k remote-time=R verbose=v " +
				"progress-bar=# ipv4=4 max-time=m retry: retry-delay: retry-max-time: connect-timeout: proto: " +
				"tlsv1.2 tlsv1.3 http1.1 compressed create-dirs fail-with-body retry-connrefused retry-all-errors " +
				"no-progress-meter",
		},
		{
			names: "wget", letters: "qnvcO:P:t:T:", least: 1, most: 1, prints: true, check: checkWget, run: wget,
			long: "quiet=q no-verbose=v output-document=O directory-prefix=P tries=t timeout=T continue=c progress: " +
				"show-progress no-check-certificate https-only no-hsts no-cache retry-connrefused",
		},
		{names: "unzip", letters: "oqnjd:", least: 1, run: unzip},
		{names: "cd", least: 1, most: 1, run: cd},
		{names: "xx-go", plain: true, least: 1, check: checkGo, run: xxGo},
	}
}

// textCommands are those of Linux that read or print.
func textCommands() []command {
	return []command{
		{names: "sha256sum", letters: "cbtsqw", long: summing, reads: true, check: checkChecksum, run: checksum},
		{names: "shasum", letters: "cbtsqwa:", long: summing, reads: true, check: checkChecksum, run: checksum},
		{
			names: "sed", letters: "ie:E", long: "in-place=i expression=e regexp-extended=E",
			least: 1, prints: true, reads: true, check: checkSed, run: sed, print: edited,
		},
		{names: "cat", plain: true, prints: true, reads: true, run: printed, print: cat},
		{names: "cut", letters: "c:d:f:", print: cut},
		{names: "grep", letters: "FE", least: 1, print: grep},
		{names: "head", plain: true, print: head},
		{names: "awk", plain: true, print: awk},
		{names: "basename", plain: true, print: basename},
		{names: "dirname", plain: true, print: dirname},
		{names: "echo", plain: true, prints: true, check: checkEcho, run: direct(echo), print: echo},
		{names: "printf", plain: true, least: 1, prints: true, check: checkPrintf, run: direct(printf), print: printf},
		{names: "true :", plain: true, prints: true, run: func(r *runner, _ options, _ []string) { r.print("") }},
	}
}

func windowsCommands() []command {
	return []command{
		{in: cmd, names: "setx", letters: "/M", slashes: true, least: 2, most: 3, run: setx},
		{in: cmd, names: "mkdir md", slashes: true, least: 1, run: makeDirectories},
		{in: cmd, names: "copy", letters: "/Y /V /B", slashes: true, least: 2, run: windowsCopy},
		{in: cmd, names: "move", letters: "/Y /V /B", slashes: true, least: 2, run: windowsMove},
		{in: cmd, names: "del", letters: "/F /Q", slashes: true, least: 1, run: del},
		{in: cmd, names: "mklink", letters: "/D", slashes: true, least: 2, most: 3, run: mklink},
	}
}

// programs are commands that Linux and Windows both have as programs of their own.
func programs(in shell) []command {
	return []command{
		{
			in: in, names: "tar", letters: "xzjJaf:C:vpmo", dashless: true, check: checkTar, run: untar,
			long: "extract=x get=x gzip=z gunzip=z ungzip=z bzip2=j xz=J zstd auto-compress=a file=f directory=C " +
				"verbose=v touch=m strip-components: strip=strip-components no-same-owner=o same-owner numeric-owner " +
				"preserve-permissions=p same-permissions=p no-same-permissions",
		},
		{in: in, names: "go", plain: true, least: 1, check: checkGo, run: runGo},
	}
}

// Long options that several commands have.
const (
	changing = "recursive=R verbose=v changes=c silent=f quiet=f"
	summing  = "check=c binary=b text=t status=s quiet=q warn=w strict=s algorithm=a ignore-missing"
)

// commandNamed returns the command of a shell that has a name.
func commandNamed(in shell, name string) (command, bool) {
	all := commands()
	n := slices.IndexFunc(all, func(c command) bool {
		return c.in == in && slices.Contains(strings.Fields(c.names), name)
	})
	if n < 0 {
		return command{}, false
	}
	return all[n], true
}

// command returns the command of a name, which may be a path in the directories that all systems
// have.
func (s *State) command(name string) (command, bool) {
	if s.Toolchain && slices.Contains(setUp, path.Base(name)) {
		return command{plain: true, run: skipCommand}, true
	}
	if s.Windows() {
		return commandNamed(cmd, strings.TrimSuffix(strings.ToLower(name), ".exe"))
	}
	for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/go/bin/", "/sbin/", "/usr/sbin/"} {
		name = strings.TrimPrefix(name, dir)
	}
	if s.Toolchain && name != "setcap" && isSystem(name) {
		return command{}, false // what it needs of the base is not read
	}
	c, ok := commandNamed(sh, name)
	return c, ok && c.run != nil
}

// printer returns the command of a name whose output is known.
func printer(name string) (command, bool) {
	c, ok := commandNamed(sh, strings.TrimPrefix(strings.TrimPrefix(name, "/usr"), "/bin/"))
	return c, ok && c.print != nil
}
