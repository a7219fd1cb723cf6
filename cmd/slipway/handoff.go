package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/slipway-dev/slipway/internal/disk"
	"github.com/slipway-dev/slipway/internal/network"
	"github.com/slipway-dev/slipway/product"
	"github.com/slipway-dev/slipway/shard"
	"github.com/slipway-dev/slipway/shard/handoff"
	"github.com/slipway-dev/slipway/store"
)

// interval is how long merge waits before it looks for the parts of shards again.
const interval = 5 * time.Second

// handed is a plan that came from a registry, with the product in a directory of its own.
type handed struct {
	ref   string
	plan  *shard.Plan
	again *product.Rebuild
	dir   string
}

// adopt brings a plan from a registry, if ref names one, and makes its slipway.yaml that of the
// command. done removes what is on the disk. It has the same place in the store for every run of
// the plan that does the same: the programs that a run has compiled are current for the next.
func (f *flags) adopt(cmd *cobra.Command, ref, does string) (done func(), err error) {
	if !handoff.IsReference(ref) {
		return func() {}, nil
	}
	if cmd.Flags().Changed("product") {
		return nil, usageError{errors.New("-product: the plan in the registry has its own slipway.yaml: leave it out")}
	}
	f.store = f.storeDir()
	_, digest, _ := strings.Cut(ref, "@sha256:")
	top, err := filepath.Abs(filepath.Join(f.store, "work", "plans", fmt.Sprintf("%.16s-%s", filepath.Base(digest), does)))
	if err != nil {
		return nil, err
	}
	held, err := disk.Make(cmd.Context(), top, saying(cmd))
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(top, "tree")
	done = func() {
		os.RemoveAll(dir)
		held.Unlock()
		os.Remove(top) //nolint:errcheck // the next run may have it already
	}
	os.RemoveAll(dir) // of a run that was killed
	if err := disk.MkdirAll(dir); err != nil {
		done()
		return nil, err
	}
	err = f.withPlan(cmd, ref, func(p *handoff.Plan) (err error) {
		f.handed = &handed{ref: ref, plan: p.Plan, dir: dir}
		f.product, f.handed.again, err = p.Unpack(dir)
		return err
	})
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// withPlan calls do with a plan of a registry, and keeps the store locked.
func (f *flags) withPlan(cmd *cobra.Command, ref string, do func(*handoff.Plan) error) error {
	return f.inStore(cmd, func(st *store.Store, o network.Options) error {
		p, err := handoff.Fetch(cmd.Context(), st, o, ref)
		if err != nil {
			return err
		}
		return do(p)
	})
}

// pushPlan puts a plan into the registry and returns its reference.
func (f *flags) pushPlan(cmd *cobra.Command, p *product.Product, plan *shard.Plan) (ref string, err error) {
	err = f.inStore(cmd, func(st *store.Store, o network.Options) error {
		pushed, err := handoff.PushPlan(cmd.Context(), st, o, p, plan)
		ref = pushed.String()
		return err
	})
	return ref, err
}

// inStore calls do with the store, locked.
func (f *flags) inStore(cmd *cobra.Command, do func(*store.Store, network.Options) error) error {
	pr := f.newPrinter(cmd)
	defer pr.Close()
	st, leave, err := f.open(cmd.Context(), pr)
	if err != nil {
		return err
	}
	defer leave()
	return do(st, network.Options{Progress: pr})
}
