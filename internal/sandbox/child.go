package sandbox

import (
	"encoding/json"
	"fmt"
	"os"
)

// processName is the name (argv[0]) under which the program is a child, as that of package
// renderer. Who starts it by this name gains nothing: it only gives up rights.
const processName = "slipway: sandbox"

// exitSetup is the exit code of a child that could not restrict itself.
const exitSetup = 125

// hooked reports whether the program calls Main, so that a child of it can restrict itself.
var hooked bool

// policy is what a child gets. Its environment has nothing: that of the program could change what
// runs before the program does.
type policy struct {
	// Root is an empty directory on which the tree of the mount namespace is made; "" for none.
	Root        string   `json:"root,omitempty"`
	Landlock    int      `json:"landlock,omitempty"`
	Seccomp     bool     `json:"seccomp,omitempty"`
	Read, Write []string // directories
	System      []string // files and directories that are read, as far as they are there
	Dir         string   // in which the program starts
	// Program, with its arguments, is what the child becomes. None ends it: it was a trial.
	Program []string `json:"program,omitempty"`
	Env     []string `json:"env,omitempty"`
}

// Main makes the process a child, and does not return, if it was started as one. The main function
// of a program and TestMain of a test call it first.
func Main() {
	if len(os.Args) != 2 || os.Args[0] != processName {
		hooked = true
		return
	}
	var p policy
	err := json.Unmarshal([]byte(os.Args[1]), &p)
	if err == nil {
		err = p.enter()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(exitSetup)
	}
	os.Exit(0)
}
