package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	gosource "github.com/slipway-dev/slipway/build/source"
	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/sandbox"
)

// addSandbox adds the flag of commands that compile what came from elsewhere.
func addSandbox(cmd *cobra.Command, mode *sandbox.Mode) {
	cmd.Flags().Var(mode, "sandbox", "compile without network and with no other files: auto as far as this machine permits it, require or fail, off")
	offer(cmd, "sandbox", string(sandbox.Auto), string(sandbox.Require), string(sandbox.Off))
}

// confine gives the compiler of a plan in a registry its sandbox. Its build cache is the one that
// GOCACHE names, or of the plan alone, since the cache of other builds must not have what a plan
// made. A cache program needs the network, and the plan's compiler can do without the sandbox.
func (h *handed) confine(ctx context.Context, mode sandbox.Mode) (err error) {
	top := filepath.Dir(h.dir)
	o := sandbox.Options{Mode: mode, Read: []string{h.dir}, Dir: filepath.Join(top, "box"), Cache: os.Getenv("GOCACHE"), Programs: true}
	if o.Cache == "" {
		o.Cache = filepath.Join(top, "go-build")
	}
	if gosource.HasCacheProgram() {
		o.Unfit = "a build cache that machines share (-build-cache, GOCACHEPROG) needs the network"
	}
	if err := disk.MkdirAll(o.Dir); err != nil {
		return err
	}
	h.again.Sandbox, err = sandbox.New(ctx, o)
	return err
}

// checkSandbox reports a sandbox that was asked for where nothing came from elsewhere.
func (f *flags) checkSandbox(cmd *cobra.Command) error {
	if f.handed == nil && cmd.Flags().Changed("sandbox") {
		return usageError{errors.New("-sandbox is for a plan in a registry, -plan=REF@sha256:…: what is compiled from this clone runs as you")}
	}
	return nil
}
